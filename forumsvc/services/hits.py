"""Reads of topics, counted in memory and written together every few seconds and at the end."""

import logging
import threading

from sqlalchemy import bindparam
from sqlalchemy.exc import SQLAlchemyError

from ..models import Topic
from ..models.engine import Database

log = logging.getLogger(__name__)


class HitCounter:
    """The reads that this process has answered. Safe to share between threads."""

    def __init__(self, database: Database, interval: float) -> None:
        """Start nothing yet: the thread that writes begins with the first read, after any fork.

        interval: seconds between two writes.
        """
        self._database = database
        self._interval = interval
        self._counted: dict[int, int] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def count(self, topic_id: int) -> None:
        """Count one read."""
        with self._lock:
            self._counted[topic_id] = self._counted.get(topic_id, 0) + 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hits", daemon=True)
                self._thread.start()

    def unwritten(self, topic_id: int) -> int:
        """Return how many reads of a topic are not in the database yet."""
        return self._counted.get(topic_id, 0)

    @property
    def waiting(self) -> int:
        """How many reads are not in the database yet, of all topics."""
        with self._lock:
            return sum(self._counted.values())

    def write(self) -> None:
        """Write what was counted; keep it where the database does not take it."""
        # Two at once would both write the same reads: the thread, and who closes this.
        with self._writing:
            self._write()

    def _write(self) -> None:
        with self._lock:
            batch = sorted(self._counted.items())
        if not batch:
            return
        table = Topic.__table__
        statement = (
            table.update()  # type: ignore[attr-defined]  # a Table, typed as what it selects from
            .where(table.c.id == bindparam("topic"))
            .values(hits=table.c.hits + bindparam("reads"), version=table.c.version)
        )
        try:
            # In the order of ids, so that two processes never wait for each other in a ring.
            with self._database.writes.begin() as connection:
                connection.execute(statement, [{"topic": key, "reads": n} for key, n in batch])
        except SQLAlchemyError as error:
            log.warning("reads of %d topics are written later: %s", len(batch), error)
            return
        with self._lock:
            for topic_id, reads in batch:
                left = self._counted[topic_id] - reads
                if left:
                    self._counted[topic_id] = left
                else:
                    del self._counted[topic_id]

    def close(self) -> None:
        """Write what is left and end the thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(self._interval)
        self.write()

    def _run(self) -> None:
        while not self._stop.wait(self._interval):
            self.write()
