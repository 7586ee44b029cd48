"""Runs the jobs of the background worker until it is stopped."""

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .. import clock
from ..db.engine import Database
from ..db.failures import DATABASE_ERRORS
from ..errors import single_line_message
from ..services import event_consumers, hosts
from .event_consumer import EventConsumer
from .host_report import HostReport
from .job_runner import JobRunner, WorkStats

log = logging.getLogger(__name__)

_JOBS, _HOST_REPORT = "jobs", "host-report"
_INSERT_SECONDS = 60.0
"""How often the jobs that are always there are inserted where they are not."""


class BackgroundWorker:
    """Looks for jobs in a thread, and writes down once a minute what its host is like.

    thread: None before the start; stats: by the name of the work; consumers: those that read
    events.
    """

    def __init__(
        self,
        database: Database,
        runner: JobRunner,
        host_report: HostReport,
        consumers: Sequence[EventConsumer],
    ) -> None:
        """Create a worker; it makes no thread and opens no connection before `start`."""
        self._database = database
        self._runner = runner
        self._host_report = host_report
        self.consumers = consumers
        self.thread: threading.Thread | None = None
        self.stats = {name: WorkStats() for name in (_JOBS, _HOST_REPORT)} | runner.stats

    def start(self) -> None:
        """Start the thread, in the process that it shall run in."""
        self.thread = threading.Thread(target=self._work, name=_JOBS, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Let each job finish the part that it works on, and then end. Returns at once."""
        self._runner.stopping.set()

    def log_if_nobody_works(self) -> None:
        """Log a warning if no process of any host does this work."""
        try:
            is_alive = event_consumers.is_anybody_alive(self._database.executor, clock.now())
        except DATABASE_ERRORS as error:
            log.warning(
                "It is unknown whether a background worker is alive: %s", single_line_message(error)
            )
            return
        if not is_alive:
            log.warning(
                "No background worker is alive, and this server has worker = false: emails and "
                "webhooks wait. Run `forumsvc work`, or set worker = true on one host."
            )

    def unfinished(self) -> list[str]:
        """Return the names of what still runs."""
        is_alive = self.thread is not None and self.thread.is_alive()
        return [_JOBS, *self._runner.running()] if is_alive else []

    def _work(self) -> None:
        insert_at = report_at = 0.0
        while not self._runner.stopping.is_set():
            with self._guarded(_JOBS):
                if time.monotonic() >= insert_at:
                    # Again and again: a dump that is loaded meanwhile replaces all jobs.
                    self._runner.insert_standing()
                    insert_at = time.monotonic() + _INSERT_SECONDS
                self._runner.run()
            if time.monotonic() >= report_at:
                report_at = time.monotonic() + hosts.INTERVAL_SECONDS
                with self._guarded(_HOST_REPORT):
                    self._host_report.run()
            self._runner.stopping.wait(self._runner.interval)
        self._runner.close()

    @contextmanager
    def _guarded(self, name: str) -> Iterator[None]:
        """Count a run, and log an error in it: it must not stop the others."""
        stats = self.stats[name]
        stats.runs += 1
        try:
            yield
        except DATABASE_ERRORS as error:
            stats.failures += 1
            log.warning("%s is tried again later: %s", name, single_line_message(error))
        except Exception:
            stats.failures += 1
            log.exception("%s has failed, and is tried again later", name)
