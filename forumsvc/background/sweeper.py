"""Hides, deletes and restores many posts of a user, as moderators order it."""

import logging
import time
from datetime import timedelta

from .. import clock
from ..db.engine import Database
from ..db.failures import is_temporary
from ..models import JobKind
from ..services import jobs
from ..services.jobs import Claimed
from ..services.moderation import sweeps
from .job_runner import Handler

log = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.005
"""Between two posts others write, for as long as the last one took and a little longer."""
_ATTEMPTS = 3
"""A post that fails so often is put aside, so that the others have their turn."""


class Sweeper(Handler):
    """Carries out the orders, each post in a transaction of its own."""

    kind = JobKind.SWEEP
    lock = timedelta(minutes=2)
    pauses = tuple(timedelta(seconds=seconds) for seconds in (1, 1, 60, 300, 1800))

    def __init__(self, database: Database) -> None:
        self._database = database

    def run(self, job: Claimed) -> None:
        """Deal with the next posts of an order; put one aside that has failed too often."""
        position, attempts = job.data, job.attempts
        with self._database.session.begin() as db:
            sweep = sweeps.by_id(db, position["sweep_id"])
            posts = sweeps.next_posts(db, sweep, position)
        for post in posts:
            start = time.monotonic()
            position = sweeps.behind(position, post)
            try:
                with self._database.session.begin() as db:
                    if not jobs.hold(db, job):
                        return
                    sweeps.sweep_post(db, clock.now(), sweep, post)
                    jobs.save_progress(db, job, position)
            except Exception as error:
                if is_temporary(error) or attempts < _ATTEMPTS:
                    raise
                log.exception("Sweep %d leaves %s as it is", sweep.id, post)
                with self._database.session.begin() as db:
                    if not jobs.hold(db, job):
                        return
                    sweeps.record_failure(db, clock.now(), sweep, post)
                    jobs.save_progress(db, job, position)
            attempts = 1
            # On SQLite one writer at a time is let in, and who waits does not queue up.
            time.sleep(time.monotonic() - start + _PAUSE_SECONDS)
        with self._database.session.begin() as db:
            if posts:
                # At the end of those that are due, so that they take turns.
                jobs.save_progress(db, job, position, due_at=clock.now())
            elif jobs.hold(db, job):
                sweeps.finish(db, clock.now(), sweep.id)
                jobs.finish(db, job, clock.now())
