"""A task that tidies up after silences that have ended by the clock."""

from .. import clock
from ..db.engine import Database
from ..services.moderation import restricting


class SilenceEnds:
    """Makes users active again whose silence has ended, and tells them.

    They can write from that moment on, also while no worker runs: see `models.user.state_at`.
    """

    name = "silence-ends"

    def __init__(self, database: Database, interval: float) -> None:
        """interval: seconds."""
        self.interval = interval
        self._database = database

    def run(self) -> bool:
        """End silences in one transaction; return whether there may be more."""
        with self._database.reads.connect() as connection:
            if not restricting.is_any_over(connection, clock.now()):
                return False
        with self._database.session.begin() as db:
            return restricting.end_expired(db, clock.now()) == restricting.BATCH_SIZE
