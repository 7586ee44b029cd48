"""Counting the views of topics in memory, written together every few seconds and at shutdown."""

import logging
import threading
from collections.abc import Sequence
from math import inf
from time import monotonic

from sqlalchemy import bindparam, text

from ...db.engine import Database
from ...db.failures import DATABASE_ERRORS, is_lock_timeout
from ...errors import single_line_message
from ...models import Topic

log = logging.getLogger(__name__)

_CHUNK = 100
"""The most topics that one transaction writes; replies to them wait for it."""

_LOCK_TIMEOUT_MS = 250
"""How long a chunk waits for a lock; replies to its topics wait for that time, too."""

_SHUTDOWN_SECONDS = 3.0
"""How long the shutdown of a process retries the views of locked topics.

Less than the time that the server allows a worker for its exit."""

ViewCounts = Sequence[tuple[int, int]]
"""Ids of topics, ascending, each with the number of its views."""


class ViewCounter:
    """Counts the views that this process has served. Thread-safe."""

    def __init__(self, database: Database, interval: float) -> None:
        """interval: seconds between two flushes. The first view starts the thread."""
        self._database = database
        self._interval = interval
        self._counted: dict[int, int] = {}
        self._lock = threading.Lock()
        self._flush_lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def count(self, topic_id: int) -> None:
        with self._lock:
            self._counted[topic_id] = self._counted.get(topic_id, 0) + 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hits", daemon=True)
                self._thread.start()

    def pending_for(self, topic_id: int) -> int:
        """Return how many views of a topic are not in the database yet."""
        return self._counted.get(topic_id, 0)

    @property
    def pending(self) -> int:
        """How many views of all topics are not in the database yet."""
        with self._lock:
            return sum(self._counted.values())

    def flush(self) -> None:
        """Write the counted views; keep those that cannot be written for the next time."""
        left, failure = self._flush(_CHUNK)
        if failure is not None:
            reason = single_line_message(failure)
            log.warning("the views of %d topics are written later: %s", left, reason)

    def _flush(self, chunk_size: int, until: float = inf) -> tuple[int, Exception | None]:
        """Write the counted views, and return how many topics are left and the last error, if any.

        chunk_size: topics in a transaction; until: the monotonic time after which no transaction
        begins.
        """
        # The thread and `close` must not write the same views twice.
        with self._flush_lock:
            with self._lock:
                counted = sorted(self._counted.items())
            failure: Exception | None = None
            left = 0
            for first in range(0, len(counted), chunk_size):
                chunk = counted[first : first + chunk_size]
                if monotonic() >= until:
                    return left + len(counted) - first, failure
                try:
                    self._add(chunk)
                except DATABASE_ERRORS as error:
                    failure = error
                    if not is_lock_timeout(error):
                        return left + len(counted) - first, failure
                    left += len(chunk)
                else:
                    self._subtract(chunk)
        return left, failure

    def _add(self, chunk: ViewCounts) -> None:
        """Add views to the database, in a transaction of their own. Raises DATABASE_ERRORS."""
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
            # In the order of ids, so that two processes do not deadlock.
            connection.execute(statement, [{"topic": key, "reads": n} for key, n in chunk])

    def _subtract(self, chunk: ViewCounts) -> None:
        """Subtract what was written from the counts in memory."""
        with self._lock:
            for topic_id, reads in chunk:
                left = self._counted[topic_id] - reads
                if left:
                    self._counted[topic_id] = left
                else:
                    del self._counted[topic_id]

    def close(self) -> None:
        """Stop the thread and write the remaining views.

        Locked topics are retried, each in its own transaction, for at most `_SHUTDOWN_SECONDS`.
        """
        self._stop.set()
        if self._thread is not None:
            self._thread.join(self._interval)
        pending = self.pending
        until = monotonic() + _SHUTDOWN_SECONDS
        left, failure = self._flush(_CHUNK, until)
        while left and is_lock_timeout(failure) and monotonic() < until:
            left, failure = self._flush(1, until)
        if not pending:
            return
        if lost := self.pending:
            reason = "no time is left" if failure is None else single_line_message(failure)
            written = pending - lost
            log.warning("Wrote %d view counts at shutdown, lost %d: %s", written, lost, reason)
        else:
            log.info("Wrote %d view counts at shutdown", pending)

    def _run(self) -> None:
        while not self._stop.wait(self._interval):
            try:
                self.flush()
            except Exception:
                # Nobody starts the thread again.
                log.exception("the views could not be written, and are written later")
