"""A task that hides, deletes and restores many posts of a user, as moderators order it."""

import time

from .. import clock
from ..db.engine import Database
from ..services.moderation import sweeping

_RUN_SECONDS = 1.0
"""After so long other tasks have their turn."""


class Sweeper:
    """Carries out the orders, each post in a transaction of its own."""

    name = "sweeps"

    def __init__(self, database: Database, interval: float) -> None:
        """interval: seconds."""
        self.interval = interval
        self._database = database

    def run(self) -> bool:
        """Deal with posts for a second; return whether there may be more."""
        with self._database.reads.connect() as connection:
            sweep_id = sweeping.pending(connection)
        if sweep_id is None:
            return False
        end = time.monotonic() + _RUN_SECONDS
        while time.monotonic() < end:
            with self._database.session.begin() as db:
                if not sweeping.sweep_next(db, clock.now(), sweep_id):
                    break
        return True
