"""Notifies the followers of new posts behind the request."""

import logging
import time
from datetime import timedelta

from .. import clock
from ..db.engine import Database
from ..db.failures import DATABASE_ERRORS, is_lock_timeout
from ..models import JobKind
from ..services import jobs
from ..services.jobs import Claimed
from ..services.notifications import notify_jobs
from .job_runner import Handler

log = logging.getLogger(__name__)

_PAUSE_FACTOR = 3.0
"""How long to pause after a batch, as a multiple of its duration, for other writers."""
_LOCKED_PAUSE = timedelta(seconds=1)


class FollowerNotifier(Handler):
    """Notifies followers in batches, those of the posts in turn."""

    kind = JobKind.NOTIFY
    lock = timedelta(seconds=10)

    def __init__(self, database: Database) -> None:
        self._database = database

    def run(self, job: Claimed) -> None:
        """Notify the next followers of a post; a job whose followers are locked waits."""
        start = time.monotonic()
        try:
            with self._database.session.begin() as db:
                notify_jobs.run_batch(db, job, clock.now())
        except DATABASE_ERRORS as error:
            if not is_lock_timeout(error):
                raise
            # Given back, it would be the first again, before those with other followers.
            log.warning("notify job %d waits for a user who is locked", job.id)
            now = clock.now()
            with self._database.session.begin() as db:
                jobs.move(db, job, now, job.data, now + _LOCKED_PAUSE)
        time.sleep(_PAUSE_FACTOR * (time.monotonic() - start))
