"""The schedule of the background worker: deletes what has expired."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..services import events
from ..settings import Settings

_ROWS_PER_TRANSACTION = 1000
"""On SQLite all other writers wait for each transaction."""

Purge = Callable[[Session, datetime], bool]
"""Deletes some of what has expired by a time; returns whether there may be more."""


class Maintenance:
    """Deletes expired rows, every few minutes."""

    name = "maintenance"
    interval = 1.0

    def __init__(self, database: Database, settings: Settings, every: float = 300.0) -> None:
        """every: seconds between two runs."""
        self._database = database
        self._every = every
        self._due_at = 0.0
        keep_events = timedelta(days=settings["events.keep_days"])
        self._purges: tuple[Purge, ...] = (
            lambda db, now: (
                events.purge(db, now - keep_events, _ROWS_PER_TRANSACTION) == _ROWS_PER_TRANSACTION
            ),
        )

    def run(self) -> bool:
        """Delete some expired rows of each kind, if it is due; return whether there are more."""
        if time.monotonic() < self._due_at:
            return False
        more = False
        for purge in self._purges:
            with self._database.session.begin() as db:
                more = purge(db, clock.now()) or more
        if not more:
            self._due_at = time.monotonic() + self._every
        return more
