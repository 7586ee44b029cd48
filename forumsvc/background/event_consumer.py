"""Hands events to their consumers."""

import logging
import os
import socket
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from .. import clock
from ..db.engine import Database
from ..db.failures import is_temporary
from ..errors import single_line_message
from ..models import JobKind
from ..queries import events
from ..queries.rows import EventRow
from ..services import event_consumers, jobs
from ..services.event_consumers import BATCH_SIZE, LOCK, consume, put_aside
from ..services.jobs import Claimed
from .job_runner import Handler, JobFailed

log = logging.getLogger(__name__)

_COUNT_SECONDS = 10.0
"""How old the figure of the metrics may be."""


class EventConsumer:
    """Reads the events of one consumer in batches.

    oldest_unread_at: the time of the oldest event that it had not handled when it last looked; None
    if there was none.

    A batch that fails is divided until the event is found that cannot be handled. It is put aside,
    and those behind it go on. While the database is to blame nothing is put aside.
    """

    def __init__(
        self,
        database: Database,
        name: str,
        handle: event_consumers.Handler,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        """name: of the consumer, and the key of its job."""
        self._batch_size = batch_size
        self._database = database
        self._handle = handle
        self.name = name
        self.oldest_unread_at: datetime | None = None
        self._look_at = 0.0
        self._limit = batch_size

    def forget(self) -> None:
        """Forget what was seen: another process goes on, and reports it."""
        self.oldest_unread_at, self._look_at = None, 0.0

    def run(self) -> bool:
        """Handle a batch; return whether there may be more."""
        if time.monotonic() >= self._look_at:
            self.oldest_unread_at = events.oldest_unread_at(self._database.executor, self.name)
            self._look_at = time.monotonic() + _COUNT_SECONDS
        dialect = self._database.executor.dialect.name
        if not events.has_unread(self._database.executor, dialect, self.name):
            return False
        try:
            is_full = self._consume(self._limit) == self._limit
        except Exception as error:
            if is_temporary(error):
                raise
            self._divide(error)
            return True
        is_whole = self._limit == self._batch_size
        self._limit = min(2 * self._limit, self._batch_size)
        return is_full or not is_whole

    def _divide(self, error: Exception) -> None:
        if self._limit > 1:
            self._limit //= 2
            return
        with self._database.session.begin() as db:
            event_id = put_aside(db, self.name, clock.now(), single_line_message(error))
        log.error("%s has put event %d aside", self.name, event_id, exc_info=error)

    def handle_again(self, job: Claimed, event: EventRow) -> None:
        """Handle an event that was put aside, and finish its job."""
        with self._database.session.begin() as db:
            if jobs.hold(db, job):
                self._handle(db, [event])
                jobs.finish(db, job, clock.now())

    def _consume(self, limit: int) -> int:
        """Handle the next events; return how many there were."""
        with self._database.session.begin() as db:
            return consume(db, self.name, self._handle, clock.now(), limit)


class EventReader(Handler):
    """Hands events to the consumers for as long as the process lives.

    It renews the lock of a consumer's job while it looks for events, so that one process does it at
    a time, and another goes on when that one dies. What must not happen twice is protected by the
    position: a process can lose the job and not know it yet.
    """

    kind = JobKind.CONSUME
    lock = LOCK
    pauses = (timedelta(seconds=1),)

    def __init__(
        self, database: Database, consumers: Sequence[EventConsumer], interval: float
    ) -> None:
        """interval: seconds between two looks when there is nothing to read."""
        self._database = database
        self._consumers = {consumer.name: consumer for consumer in consumers}
        self._interval = interval
        self.keys = tuple(self._consumers)
        self.at_once = len(self.keys)

    def run(self, job: Claimed) -> None:
        """Hand events to a consumer until the process is to end, or another one has the job."""
        consumer = self._consumers[job.key]
        renewal: dict[str, Any] = {"data": {"process": f"{socket.gethostname()}-{os.getpid()}"}}
        renew_at = 0.0
        try:
            while not self.stopping.is_set():
                if time.monotonic() >= renew_at:
                    renew_at = time.monotonic() + self.lock.total_seconds() / 3
                    with self._database.session.begin() as db:
                        until = jobs.renew(db, job, clock.now(), self.lock, **renewal)
                    if until is None:
                        return
                    job.locked_until = until
                    renewal = {"attempts": 1, "error": None}  # it works
                self.stats[consumer.name].runs += 1
                if not consumer.run():
                    self.stopping.wait(self._interval)
        finally:
            consumer.forget()
        with self._database.session.begin() as db:
            jobs.release(db, job, job.due_at)


class FailedEvents(Handler):
    """Handles events again that were put aside, when somebody retries their jobs."""

    kind = JobKind.EVENT
    lock = timedelta(minutes=5)
    pauses = ()

    def __init__(self, database: Database, consumers: Sequence[EventConsumer]) -> None:
        self._database = database
        self._consumers = {consumer.name: consumer for consumer in consumers}

    def run(self, job: Claimed) -> None:
        """Handle an event again. Raises JobFailed, and whatever the consumer's handler raises."""
        event_id = job.data["event_id"]
        result = events.by_ids(self._database.executor, [event_id])
        if event_id not in result:
            raise JobFailed("the event is not kept any longer")
        self._consumers[job.key].handle_again(job, result[event_id])
