"""A task that hides, deletes and restores many posts of a user, as moderators order it."""

import logging
import time

from .. import clock
from ..db.engine import Database
from ..services.moderation import sweeping
from ..services.moderation.sweeping import Post

log = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.005
"""Between two posts others write, for as long as the last one took and a little longer."""
_ATTEMPTS = 3
"""A post that fails so often is put aside, so that the others have their turn."""


class Sweeper:
    """Carries out the orders, each post in a transaction of its own."""

    name = "sweeps"

    def __init__(self, database: Database, interval: float) -> None:
        """interval: seconds."""
        self.interval = interval
        self._database = database
        self._failed: tuple[int, Post] | None = None
        self._failures = 0

    def run(self) -> bool:
        """Deal with the next posts; return whether there may be more."""
        with self._database.reads.connect() as connection:
            sweep = sweeping.pending(connection)
            posts = [] if sweep is None else sweeping.next_posts(connection, sweep)
        if sweep is None:
            return False
        for post in posts:
            start = time.monotonic()
            self._sweep_post(sweep.id, post)
            # On SQLite one writer at a time is let in, and who waits does not queue up.
            time.sleep(time.monotonic() - start + _PAUSE_SECONDS)
        if not posts:
            with self._database.session.begin() as db:
                sweeping.finish(db, clock.now(), sweep.id)
        return True

    def _sweep_post(self, sweep_id: int, post: Post) -> None:
        try:
            with self._database.session.begin() as db:
                sweeping.sweep_post(db, clock.now(), sweep_id, post)
        except Exception:
            if self._count_failure(sweep_id, post) < _ATTEMPTS:
                raise
            log.exception("Sweep %d leaves %s as it is", sweep_id, post)
            with self._database.session.begin() as db:
                sweeping.put_aside(db, clock.now(), sweep_id, post)

    def _count_failure(self, sweep_id: int, post: Post) -> int:
        """Return how often a post has failed one time after the other."""
        if self._failed != (sweep_id, post):
            self._failed, self._failures = (sweep_id, post), 0
        self._failures += 1
        return self._failures
