"""A task that hides, deletes and restores many posts of a user, as moderators order it."""

import time

from .. import clock
from ..db.engine import Database
from ..services.moderation import sweeping

_PAUSE_SECONDS = 0.005
"""Between two posts others write, for as long as the last one took and a little longer."""


class Sweeper:
    """Carries out the orders, each post in a transaction of its own."""

    name = "sweeps"

    def __init__(self, database: Database, interval: float) -> None:
        """interval: seconds."""
        self.interval = interval
        self._database = database

    def run(self) -> bool:
        """Deal with the next posts; return whether there may be more."""
        with self._database.reads.connect() as connection:
            sweep = sweeping.pending(connection)
            posts = [] if sweep is None else sweeping.next_posts(connection, sweep)
        if sweep is None:
            return False
        for post in posts:
            start = time.monotonic()
            with self._database.session.begin() as db:
                sweeping.sweep_post(db, clock.now(), sweep.id, post)
            # On SQLite one writer at a time is let in, and who waits does not queue up.
            time.sleep(time.monotonic() - start + _PAUSE_SECONDS)
        if not posts:
            with self._database.session.begin() as db:
                sweeping.finish(db, clock.now(), sweep.id)
        return True
