"""Notifies the followers of new posts behind the request."""

import time
from datetime import timedelta

from .. import clock
from ..db.engine import Database
from ..models import JobKind
from ..services.jobs import Claimed
from ..services.notifications import notify_jobs
from .job_runner import Handler

_PAUSE_FACTOR = 3.0
"""How long to pause after a batch, as a multiple of its duration, for other writers."""


class FollowerNotifier(Handler):
    """Notifies followers in batches, those of the posts in turn."""

    kind = JobKind.NOTIFY
    lock = timedelta(seconds=10)

    def __init__(self, database: Database) -> None:
        self._database = database

    def run(self, job: Claimed) -> None:
        """Notify the next followers of a post."""
        start = time.monotonic()
        with self._database.session.begin() as db:
            notify_jobs.run_batch(db, job, clock.now())
        time.sleep(_PAUSE_FACTOR * (time.monotonic() - start))
