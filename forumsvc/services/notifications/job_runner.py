"""The background thread that notifies followers after the commit of a post."""

import logging
import threading
import time
from datetime import datetime

from sqlalchemy import event
from sqlalchemy.orm import Session

from ... import clock
from ...db.engine import Database
from ...db.failures import DATABASE_ERRORS
from ...errors import single_line_message
from . import jobs

log = logging.getLogger(__name__)

_PAUSE_FACTOR = 3.0
"""How long to pause after a batch, as a multiple of its duration, for other writers."""
_SECONDS_TO_STOP = 2.0


class NotificationJobRunner:
    """Runs the jobs of `notification_jobs`: those of its process at once, others periodically.

    pending: the number of jobs in the database when they were last counted.
    """

    def __init__(self, database: Database, interval: float) -> None:
        """interval: seconds between two searches for jobs of other processes.

        The thread starts later, after any fork.
        """
        self._database = database
        self._interval = interval
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._woken = threading.Event()
        self._stop = threading.Event()
        self.pending = 0
        self._oldest_at: datetime | None = None
        event.listen(database.session, "after_commit", self._after_commit)

    @property
    def oldest_seconds(self) -> float:
        """The present age of the oldest job that was seen; 0 without one."""
        oldest_at = self._oldest_at
        return (clock.now() - oldest_at).total_seconds() if oldest_at else 0.0

    def start(self) -> None:
        """Start the thread unless it runs; it first searches for jobs after an interval."""
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    run, name = self._run, "notification-jobs"
                    self._thread = threading.Thread(target=run, name=name, daemon=True)
                    self._thread.start()

    def wake(self) -> None:
        """Search for jobs at once."""
        self._woken.set()
        self.start()

    def run_all(self) -> None:
        """Run all jobs, one batch of each in turn, until this process can run no more.

        Ends early if the process stops. Raises DATABASE_ERRORS.
        """
        job_ids = self._load_pending()
        while job_ids and not self._stop.is_set():
            left = [job_id for job_id in job_ids if self._run_batch(job_id)]
            job_ids = self._load_pending()
            if not left:
                return

    def close(self) -> None:
        """Stop the thread between two batches."""
        self._stop.set()
        self._woken.set()
        if self._thread is not None:
            self._thread.join(_SECONDS_TO_STOP)

    def _after_commit(self, db: Session) -> None:
        if jobs.was_enqueued(db):
            self.wake()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._woken.wait(self._interval)
            self._woken.clear()
            try:
                self.run_all()
            except DATABASE_ERRORS as error:
                log.warning("followers are notified later: %s", single_line_message(error))
            except Exception:
                # Nobody starts the thread again.
                log.exception("followers could not be notified, and are notified later")

    def _load_pending(self) -> list[int]:
        """Return the oldest jobs, and store their number for the metrics."""
        with self._database.reads.connect() as connection:
            found = jobs.pending(connection)
        self.pending, self._oldest_at = found.number, found.oldest_at
        return found.job_ids

    def _run_batch(self, job_id: int) -> bool:
        """Run a batch and pause; return whether the job has more. A failed job is run later."""
        if self._stop.is_set():
            return False
        began = time.monotonic()
        try:
            with self._database.session.begin() as db:
                more = jobs.run_batch(db, job_id)
        except DATABASE_ERRORS as error:
            # The other jobs do not wait for the same lock.
            reason = single_line_message(error)
            log.warning("the followers of job %d are notified later: %s", job_id, reason)
            more = False
        except Exception:
            # A mistake in one job must not stop the others.
            log.exception("job %d has failed, and is run again later", job_id)
            more = False
        self._stop.wait(_PAUSE_FACTOR * (time.monotonic() - began))
        return more
