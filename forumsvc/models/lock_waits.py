"""Who may wait long for a lock, so that those who wait never hold all threads of a process.

Of the transactions that a process has open, a few may wait for a lock as long as the session lets
them; for all others half a second is plenty behind work that goes on. Where each of the few is open
for longer than that, somebody holds a lock and does not go on, and a tenth of a second is enough to
see whether it is the one that is needed.

On PostgreSQL the limit is sent together with the beginning of the transaction; on SQLite, whose
only lock is taken there, the lock is tried for in short turns.
"""

import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

SHORT_SECONDS = 0.5
STUCK_SECONDS = 0.1
TURN_SECONDS = 0.1
"""For how long SQLite itself is let wait for its write lock."""

_TICKET = "lock wait"


class _Ticket:
    """An open transaction that may wait long; it goes with the connection that has it."""


class LockWaits:
    """The transactions of a process that may wait long. Safe to share between threads."""

    def __init__(self, most: int | None) -> None:
        """Let `most` transactions wait long; None: all."""
        self._most = most
        self._long: WeakKeyDictionary[_Ticket, float] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self._waiting = 0
        self._stalled_since = 0.0

    def begin(self, ticket: _Ticket) -> float | None:
        """Return for how many seconds a new transaction may wait; None: as long as the session."""
        if self._most is None:
            return None
        now = time.monotonic()
        with self._lock:
            if len(self._long) < self._most:
                self._long[ticket] = now
                return None
        return STUCK_SECONDS if self.are_stuck else SHORT_SECONDS

    @property
    def are_stuck(self) -> bool:
        """Whether each of those who may wait long is open for longer than others may wait."""
        with self._lock:
            if self._most is None or len(self._long) < self._most:
                return False
            return time.monotonic() - max(self._long.values()) > SHORT_SECONDS

    @property
    def stalled_seconds(self) -> float:
        """For how long nobody of this process got SQLite's write lock while somebody waits."""
        with self._lock:
            return time.monotonic() - self._stalled_since if self._waiting else 0.0

    def end(self, ticket: _Ticket) -> None:
        """Let another transaction wait long."""
        with self._lock:
            self._long.pop(ticket, None)

    def follow(self, engine: Engine, limit: Callable[[Connection, float | None], None]) -> None:
        """Hear of the transactions of an engine's connections.

        limit: called at the beginning of each, with its connection and what `begin` returned.
        """

        def begun(connection: Connection) -> None:
            ticket = connection.connection.info[_TICKET] = _Ticket()
            limit(connection, self.begin(ticket))

        def given_back(driver: Any, record: ConnectionPoolEntry) -> None:
            ticket = record.info.pop(_TICKET, None)
            if ticket is not None:
                self.end(ticket)

        event.listen(engine, "begin", begun)
        event.listen(engine, "checkin", given_back)

    def take(self, attempt: Callable[[], None], longest: float | None, *, is_short: bool) -> None:
        """Try for SQLite's write lock until it is taken or the time is over.

        attempt: waits for TURN_SECONDS at most, and raises OperationalError; longest: seconds after
        which it is over; is_short: give up before, once nobody of this process got the lock for
        SHORT_SECONDS. (SQLite serves those who wait in no order.)
        """
        started = time.monotonic()
        with self._lock:
            if not self._waiting:
                self._stalled_since = started
            self._waiting += 1
        try:
            while True:
                try:
                    attempt()
                except OperationalError as error:
                    waited = time.monotonic() - started
                    is_over = longest is not None and waited >= longest
                    is_stalled = is_short and self.stalled_seconds >= SHORT_SECONDS
                    if is_over or is_stalled or not _is_busy(error):
                        raise
                else:
                    self._stalled_since = time.monotonic()
                    return
        finally:
            with self._lock:
                self._waiting -= 1


def _is_busy(error: OperationalError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_BUSY
