"""Does the jobs: claims those that are due, and runs each in a thread of its own."""

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..db.failures import DATABASE_ERRORS, is_temporary
from ..errors import single_line_message
from ..models import JobKind
from ..models.job import STANDING
from ..queries import reviews, webhooks
from ..queries.jobs import Count, counts
from ..services import backups, deployment, jobs
from ..services.jobs import Claimed
from ..services.notifications import refusals

log = logging.getLogger(__name__)

_COUNT_SECONDS = 10.0
"""How old the numbers of the metrics may be."""
DONE, FAILED, GIVEN_UP = "done", "failed", "given_up"


class JobFailed(Exception):
    """The job could not be done. The message is stored and logged: no texts of other servers."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        """is_final: another attempt would fail, too."""
        super().__init__(message)
        self.is_final = is_final


@dataclass
class WorkStats:
    """What the metrics show of a piece of work: how often it ran, and failed."""

    runs: int = 0
    failures: int = 0


class Handler(ABC):
    """What is done for jobs of a kind.

    sends_as: the setting `site.url` where the jobs reach others, which those of a copied database
    must not; at_once: how many of them this process runs at a time; lock: after how long another
    process takes one over, because the first has died; pauses: after each failed attempt; after the
    one behind the last pause the job is given up. stopping: the runner's, set when what takes long
    is to end soon. keys: of a kind of `STANDING`, those of the jobs that this process inserts and
    does, and no others; stats: by these keys.
    """

    kind: JobKind
    sends_as: str | None = None
    at_once: int = 1
    lock: timedelta
    pauses: tuple[timedelta, ...] = tuple(timedelta(minutes=item) for item in (1, 5, 30))
    stopping: threading.Event
    keys: tuple[str, ...] = ()
    stats: dict[str, WorkStats]

    def must_wait(self, db: Session) -> bool:
        """Return whether no job may begin now, as so many have been done."""
        return False

    @abstractmethod
    def run(self, job: Claimed) -> None:
        """Do the job, or a part of it, and finish, move or discard it, in the same transaction.

        Raises JobFailed; anything else is a failure, too, but for a temporary one of the database,
        which does not count.
        """


class JobRunner:
    """Runs the jobs of all kinds that it has handlers for.

    Each process may run one: a job has its lock. stopping: set when it is to end; outcomes: by
    kind, how many attempts of this process ended so; stats: of the work that is always there, by
    its name. At the last look: counts of all jobs in the database; failing_since: when the webhook
    began to fail that fails the longest; backup_made_at: the last whole and verified backup, None
    without one; open_reviews, oldest_review_at: how many reviews are open, and since when the
    oldest is; refused_addresses: how many users get no emails, because theirs is refused.
    """

    def __init__(self, database: Database, handlers: Sequence[Handler], interval: float) -> None:
        """interval: seconds between two looks. No thread is made before the first job."""
        self.interval = interval
        self._database = database
        self._handlers = {handler.kind: handler for handler in handlers}
        self._running: dict[JobKind, list[Future[None]]] = {kind: [] for kind in self._handlers}
        self.threads = sum(handler.at_once for handler in handlers)
        self._pool = ThreadPoolExecutor(self.threads or 1, thread_name_prefix="job")
        self.stopping = threading.Event()
        for handler in handlers:
            handler.stopping = self.stopping
            handler.stats = {key: WorkStats() for key in handler.keys}
        self.stats = {key: stats for handler in handlers for key, stats in handler.stats.items()}
        self.outcomes: Counter[tuple[JobKind, str]] = Counter()
        self._waiting: dict[JobKind, str] = {}
        self.counts: dict[JobKind, Count] = {}
        self.failing_since: datetime | None = None
        self.backup_made_at: datetime | None = None
        self.open_reviews = 0
        self.oldest_review_at: datetime | None = None
        self.refused_addresses = 0
        self._count_at = 0.0

    def insert_standing(self) -> None:
        """Insert the jobs that are always there, where they are not."""
        with self._database.session.begin() as db:
            for kind, handler in self._handlers.items():
                jobs.insert_standing(db, kind, clock.now(), handler.keys)

    def run(self) -> None:
        """Begin with what is due and not under way, in threads."""
        due: list[JobKind] = []
        with self._database.reads.connect() as connection:
            for kind, handler in self._handlers.items():
                self._running[kind] = [item for item in self._running[kind] if not item.done()]
                free = handler.at_once - len(self._running[kind])
                due_now = (kind, clock.now(), handler.lock, free, handler.keys)
                number = jobs.count_due(connection, *due_now) if free else 0
                # Of those that wait one goes on asking.
                due += [kind] * (min(number, 1) if kind in self._waiting else number)
        try:
            if time.monotonic() >= self._count_at:
                self._count()
        finally:  # what metrics show holds up no job
            for kind in due:
                self._running[kind].append(self._pool.submit(self._run_in_thread, kind))

    def _count(self) -> None:
        """Look at what the metrics show."""
        with self._database.reads.connect() as connection:
            self.counts = counts(connection)
            self.failing_since = webhooks.failing_since(connection)
            self.backup_made_at = backups.last_made_at(connection)
            self.refused_addresses = refusals.number(connection)
        self.open_reviews, self.oldest_review_at = reviews.waiting(self._database.executor)
        self._count_at = time.monotonic() + _COUNT_SECONDS

    def run_due(self, kind: JobKind) -> int:
        """Run the jobs of a kind until none is due; return how many attempts there were."""
        handler = self._handlers[kind]
        attempts = 0
        while not self.stopping.is_set():
            with self._database.session.begin() as db:
                waits = self._waits(handler, db) or handler.must_wait(db)
                claim = (kind, clock.now(), handler.lock, handler.keys)
                job = None if waits else jobs.claim(db, *claim)
            if job is None:
                break
            self._run_job(handler, job)
            attempts += 1
        return attempts

    def _waits(self, handler: Handler, db: Session) -> bool:
        """Return whether jobs wait, as this database is a copy; log it at the first time."""
        site_url = handler.sends_as
        if site_url is None or deployment.may_send(db, site_url):
            self._waiting.pop(handler.kind, None)
            return False
        why = deployment.why_it_sends_nothing(db, site_url) or ""
        if self._waiting.get(handler.kind) != why:
            self._waiting[handler.kind] = why
            log.warning(
                "%s jobs wait: %s. If it is the one that is to send: forumsvc db adopt",
                *(handler.kind, why),
            )
        return True

    def running(self) -> list[str]:
        """Return the kinds of which a job runs."""
        return [kind for kind, runs in self._running.items() if any(not run.done() for run in runs)]

    def close(self) -> None:
        """Let each job under way finish its part, and end the threads."""
        self.stopping.set()
        self._pool.shutdown(cancel_futures=True)

    def _run_in_thread(self, kind: JobKind) -> None:
        try:
            self.run_due(kind)
        except DATABASE_ERRORS as error:
            log.warning("%s jobs are tried again later: %s", kind, single_line_message(error))
        except Exception:
            log.exception("%s jobs have failed, and are tried again later", kind)

    def _run_job(self, handler: Handler, job: Claimed) -> None:
        try:
            handler.run(job)
        except Exception as error:
            if job.key in handler.stats:
                handler.stats[job.key].failures += 1
            if is_temporary(error):
                self._give_back(handler, job, error)
            else:
                self._record_failure(handler, job, error)
        else:
            self.outcomes[handler.kind, DONE] += 1

    def _give_back(self, handler: Handler, job: Claimed, error: Exception) -> None:
        """Free a job, behind the others; while the database does not answer, its lock keeps it."""
        message = single_line_message(error)
        log.warning("%s is tried again: %s", _name(job), message)
        is_standing, pause = handler.kind in STANDING, timedelta(seconds=self.interval)
        due_at = clock.now() + (handler.pauses[0] if is_standing else pause)
        while True:
            try:
                with self._database.session.begin() as db:
                    jobs.release_untried(db, job, due_at, message if is_standing else None)
            except DATABASE_ERRORS:
                if self.stopping.wait(self.interval):
                    return
            else:
                return

    def _record_failure(self, handler: Handler, job: Claimed, error: Exception) -> None:
        pauses, trace = handler.pauses, None
        if isinstance(error, JobFailed):
            message = str(error)
            pauses = () if error.is_final and handler.kind not in STANDING else pauses
        else:
            message, trace = f"{type(error).__name__}: {single_line_message(error)}", error
        with self._database.session.begin() as db:
            attempt, due_at = jobs.fail(db, job, clock.now(), message, pauses)
        self.outcomes[handler.kind, GIVEN_UP if due_at is None else FAILED] += 1
        log.error(
            "%s has failed (attempt %d): %s; it %s",
            *(_name(job), attempt, message),
            "is given up" if due_at is None else f"is tried again at {clock.rfc3339(due_at)}",
            exc_info=trace,
        )


def _name(job: Claimed) -> str:
    return f"{job.kind} job {job.key if job.kind in STANDING else job.id}"
