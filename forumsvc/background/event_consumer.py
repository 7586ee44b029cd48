"""A task that hands events to a consumer."""

import time
from datetime import datetime

from .. import clock
from ..db.engine import Database
from ..queries import events
from ..services.event_consumers import BATCH_SIZE, Handler, consume

_COUNT_SECONDS = 10.0
"""How old the figure of the metrics may be."""


class EventConsumer:
    """Reads the events of one consumer in batches.

    oldest_unread_at: the time of the oldest event that it had not handled when it last looked; None
    if there was none.
    """

    def __init__(
        self,
        database: Database,
        name: str,
        handle: Handler,
        interval: float,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        """name: of the consumer, its lease and its thread; interval: seconds between two looks."""
        self._batch_size = batch_size
        self._database = database
        self._handle = handle
        self.name = name
        self.interval = interval
        self.oldest_unread_at: datetime | None = None
        self._look_at = 0.0

    def run(self) -> bool:
        """Handle a batch; return whether there may be more."""
        if time.monotonic() >= self._look_at:
            self.oldest_unread_at = events.oldest_unread_at(self._database.executor, self.name)
            self._look_at = time.monotonic() + _COUNT_SECONDS
        dialect = self._database.executor.dialect.name
        if not events.has_unread(self._database.executor, dialect, self.name):
            return False
        return self._consume(self._batch_size) == self._batch_size

    def _consume(self, limit: int) -> int:
        """Handle the next events; return how many there were."""
        with self._database.session.begin() as db:
            return consume(db, self.name, self._handle, clock.now(), limit)
