"""Reads of topics, counted in memory and written together every few seconds and at the end."""

import logging
import threading
from collections.abc import Sequence
from math import inf
from time import monotonic

from sqlalchemy import bindparam, text
from sqlalchemy.exc import SQLAlchemyError

from ..db.engine import Database
from ..db.failures import is_lock_timeout
from ..errors import single_line_message
from ..models import Topic

log = logging.getLogger(__name__)

_CHUNK = 100
"""The most topics that one transaction writes: whoever replies to one of them waits for it."""

_LOCK_TIMEOUT_MS = 250
"""How long a chunk waits for another transaction, and lets the repliers to its topics wait."""

_END_SECONDS = 3.0
"""How long the end of a process tries to write reads of topics that others have locked.

Less than the server leaves to a worker for its exit."""

ViewCounts = Sequence[tuple[int, int]]
"""Ids of topics, ascending, each with the number of its reads."""


class ViewCounter:
    """The reads that this process has answered. Safe to share between threads."""

    def __init__(self, database: Database, interval: float) -> None:
        """Start nothing yet: the thread that writes begins with the first read, after any fork.

        interval: seconds between two writes.
        """
        self._database = database
        self._interval = interval
        self._counted: dict[int, int] = {}
        self._lock = threading.Lock()
        self._flush_lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def count(self, topic_id: int) -> None:
        """Count one read."""
        with self._lock:
            self._counted[topic_id] = self._counted.get(topic_id, 0) + 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hits", daemon=True)
                self._thread.start()

    def pending_for(self, topic_id: int) -> int:
        """Return how many reads of a topic are not in the database yet."""
        return self._counted.get(topic_id, 0)

    @property
    def pending(self) -> int:
        """How many reads are not in the database yet, of all topics."""
        with self._lock:
            return sum(self._counted.values())

    def flush(self) -> None:
        """Write what was counted; keep what the database does not take for the next time."""
        kept, failure = self._flush(_CHUNK)
        if failure is not None:
            reason = single_line_message(failure)
            log.warning("reads of %d topics are written later: %s", kept, reason)

    def _flush(self, chunk_size: int, until: float = inf) -> tuple[int, SQLAlchemyError | None]:
        """Write what was counted, so many topics a transaction, and return how many topics are kept
        and why: the last error, if there was one.

        until: the moment of the monotonic clock after which no other transaction begins.
        """
        # Two at once would both write the same reads: the thread, and who closes this.
        with self._flush_lock:
            with self._lock:
                counted = sorted(self._counted.items())
            failure: SQLAlchemyError | None = None
            kept = 0
            for first in range(0, len(counted), chunk_size):
                chunk = counted[first : first + chunk_size]
                if monotonic() >= until:
                    return kept + len(counted) - first, failure
                try:
                    self._add(chunk)
                except SQLAlchemyError as error:
                    failure = error
                    if not is_lock_timeout(error):
                        return kept + len(counted) - first, failure
                    kept += len(chunk)
                else:
                    self._subtract(chunk)
        return kept, failure

    def _add(self, chunk: ViewCounts) -> None:
        """Add reads to the database, in a transaction of its own. Raises SQLAlchemyError."""
        table = Topic.__table__
        statement = (
            table.update()  # type: ignore[attr-defined]  # a Table, typed as what it selects from
            .where(table.c.id == bindparam("topic"))
            # The version is set to itself: left out, each write would give the topic a new one by
            # the column's `onupdate`, and no cached page of a topic would outlive it.
            .values(hits=table.c.hits + bindparam("reads"), version=table.c.version)
        )
        with self._database.writes.begin() as connection:
            if not self._database.is_sqlite:
                connection.execute(text(f"SET LOCAL lock_timeout = {_LOCK_TIMEOUT_MS:d}"))
            # In the order of ids, so that two processes never wait for each other in a ring.
            connection.execute(statement, [{"topic": key, "reads": n} for key, n in chunk])

    def _subtract(self, chunk: ViewCounts) -> None:
        """Count what is written no more."""
        with self._lock:
            for topic_id, reads in chunk:
                left = self._counted[topic_id] - reads
                if left:
                    self._counted[topic_id] = left
                else:
                    del self._counted[topic_id]

    def close(self) -> None:
        """Write what is left and end the thread.

        Topics that others have locked are tried again, each by itself, for at most `_END_SECONDS`.
        """
        self._stop.set()
        if self._thread is not None:
            self._thread.join(self._interval)
        waiting = self.pending
        until = monotonic() + _END_SECONDS
        kept, failure = self._flush(_CHUNK, until)
        while kept and is_lock_timeout(failure) and monotonic() < until:
            kept, failure = self._flush(1, until)
        if not waiting:
            return
        if lost := self.pending:
            reason = "no time is left" if failure is None else single_line_message(failure)
            written = waiting - lost
            log.warning("At the end %d reads were written, %d are lost: %s", written, lost, reason)
        else:
            log.info("At the end %d reads were written, 0 are lost", waiting)

    def _run(self) -> None:
        while not self._stop.wait(self._interval):
            self.flush()
