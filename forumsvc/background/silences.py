"""A task that tidies up after silences that have ended, and counts what waits for moderators."""

import time
from datetime import datetime

from .. import clock
from ..db.engine import Database
from ..queries import reviews
from ..services.moderation import restrictions
from .one_by_one import OneByOne

_COUNT_SECONDS = 10.0
"""How old the numbers of the metrics may be."""


class SilenceEnder:
    """Makes users active again whose silence has ended, and tells them.

    They can write from that moment on, also while no worker runs: see `models.user.state_at`.
    open_reviews, oldest_at: how many reviews are open, and since when the oldest is, when they were
    last counted.
    """

    name = "moderation"

    def __init__(self, database: Database, interval: float) -> None:
        """interval: seconds."""
        self.interval = interval
        self.open_reviews = 0
        self.oldest_at: datetime | None = None
        self._database = database
        self._count_at = 0.0
        words = "the silence of user %d has ended, and is not tidied up"
        self._silences = OneByOne(database, words, restrictions.BATCH_SIZE)

    def forget(self) -> None:
        """Forget what was counted: another process has the lease, and reports it."""
        self.open_reviews, self.oldest_at, self._count_at = 0, None, 0.0

    def run(self) -> bool:
        """End silences, each for itself; return whether there may be more."""
        if time.monotonic() >= self._count_at:
            self.open_reviews, self.oldest_at = reviews.waiting(self._database.executor)
            self._count_at = time.monotonic() + _COUNT_SECONDS
        now = clock.now()
        return self._silences.run(
            lambda db, after: restrictions.due(db, now, after),
            lambda db, user: restrictions.end_expired(db, now, user.id),
        )
