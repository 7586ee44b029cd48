"""Gives people places in topics of before the upgrade that brought places."""

import time
from datetime import timedelta

from .. import clock
from ..db.engine import Database
from ..models import JobKind
from ..services.jobs import Claimed
from ..services.posts import place_backfill
from .job_runner import Handler


class PlaceBackfiller(Handler):
    """Makes places in batches, each in a transaction of its own."""

    kind = JobKind.PLACES
    lock = timedelta(minutes=1)

    def __init__(self, database: Database) -> None:
        self._database = database

    def run(self, job: Claimed) -> None:
        """Make the next places."""
        start = time.monotonic()
        with self._database.session.begin() as db:
            place_backfill.run_batch(db, job, clock.now())
        # Between two batches others write, for as long as the last one took.
        time.sleep(time.monotonic() - start)
