"""Periodic work: each piece is a job that is due again when it is done."""

import logging
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..db.execution import SqlConnection
from ..db.failures import is_temporary
from ..errors import Conflict
from ..models import JobKind
from ..services import jobs
from ..services.jobs import Claimed
from .job_runner import Handler

log = logging.getLogger(__name__)

_TURN_SECONDS = 20.0
"""After so long the job is freed, so that others have their turn, long before its lock ends."""

Parts = Generator[int, None, None]
"""Does a part of the work, of a few seconds at most, before each `yield` of its number of rows."""


@dataclass(frozen=True)
class Periodic:
    """A piece of periodic work.

    name: the key of its job, in lower case with hyphens, at most 40 letters; every: how long it
    waits when all is done; run: does it, so that it may be stopped behind each part, and be done by
    two processes at once for a short time.
    """

    name: str
    every: timedelta
    run: Callable[[], Parts]


class PeriodicJobs(Handler):
    """Does periodic work, each piece for itself: one that fails holds up no other."""

    kind = JobKind.PERIODIC
    at_once = 2
    lock = timedelta(minutes=2)
    pauses = (timedelta(minutes=1), timedelta(minutes=3))

    def __init__(self, database: Database, works: Sequence[Periodic]) -> None:
        self._database = database
        self._works = {work.name: work for work in works}
        self.keys = tuple(self._works)

    def run(self, job: Claimed) -> None:
        """Do a piece of work, for a while. Raises whatever it raises."""
        work = self._works[job.key]
        end = time.monotonic() + _TURN_SECONDS
        self.stats[work.name].runs += 1
        with closing(work.run()) as parts:
            is_done = not any(self.stopping.is_set() or time.monotonic() > end for _ in parts)
        with self._database.session.begin() as db:
            jobs.release(db, job, clock.now() + (work.every if is_done else timedelta(0)))


def one_by_one(
    database: Database,
    words: str,
    find: Callable[[SqlConnection, datetime, int], Sequence[Any]],
    do: Callable[[Session, datetime, Any], object],
) -> Parts:
    """Find rows in the order of their ids, and do each in a transaction of its own.

    One that fails is logged. words: for the log, what is not done, with %d for the id; find:
    returns some rows with an id that is higher, in their order, without a lock; do: raises Conflict
    where a row is not to be done; both get the time of the start. Raises temporary errors of the
    database.
    """
    now, last_id = clock.now(), 0
    while True:
        with database.reads.connect() as connection:
            rows = find(connection, now, last_id)
        if not rows:
            return
        for row in rows:
            try:
                with database.session.begin() as db:
                    do(db, now, row)
            except Conflict as conflict:
                log.warning(f"{words}: %s", row.id, conflict)
            except Exception as error:
                if is_temporary(error):
                    raise
                log.exception(words, row.id)
            last_id = row.id
            yield 1
