"""Who may wait long for a lock, so that those who wait never hold all threads of a process.

Of the transactions that a process has open, a few may wait for a lock as long as the session lets
them; for all others half a second is plenty behind work that goes on. Where one of these waited in
vain, and nobody of the process got the same lock meanwhile, it is stuck: for the next second a
tenth of a second is enough to see whether it still is.

On PostgreSQL the limit is sent together with the beginning of the transaction; on SQLite, whose
only lock is taken there, the lock is tried for in short turns.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakSet

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from .failures import is_lock_timeout

SHORT_SECONDS = 0.5
STUCK_SECONDS = 0.1
ATTEMPT_SECONDS = 0.1
"""For how long SQLite itself is let wait for its write lock."""

_STUCK_FOR_SECONDS = 1.0
_SERVED_FOR_SECONDS = 2.0
_SHORT_TURNS = round(SHORT_SECONDS / ATTEMPT_SECONDS)
_MOST_LOCKS = 1000
_TICKET = "lock wait"

Lock = Hashable
"""What is locked, as the text and the values of the statement that locks it."""

_WRITE_LOCK: Lock = "SQLite's write lock"

CONTENDED = "Others got the lock meanwhile."

T = TypeVar("T")
Limit = Callable[[Connection, float | None], None]


class _Ticket:
    """An open transaction that may wait long; it goes with the connection that has it."""


class LockWaits:
    """The transactions of a process that may wait long. Safe to share between threads."""

    def __init__(self, most: int | None) -> None:
        """Let `most` transactions wait long; None: all."""
        self._most = most
        self._long: WeakSet[_Ticket] = WeakSet()
        self._lock = threading.Lock()
        self._waiting = 0
        self._stalled_since = 0.0
        self._takes = 0
        self._taken: dict[Lock, float] = {}
        self._stuck: dict[Lock, float] = {}

    def begin(self, ticket: _Ticket) -> float | None:
        """Return for how many seconds a new transaction may wait; None: as long as the session."""
        if self._most is None:
            return None
        with self._lock:
            if len(self._long) < self._most:
                self._long.add(ticket)
                return None
        return SHORT_SECONDS

    def is_long(self, ticket: _Ticket | None) -> bool:
        """Tell whether a transaction may wait long."""
        return self._most is None or ticket in self._long

    def execute_locking(self, connection: Connection, lock: Lock, act: Callable[[], T]) -> T:
        """Run what takes a lock of PostgreSQL on a connection that this follows.

        An error of one who waited shortly, while others got the lock, bears the note CONTENDED.
        """
        is_short = not self.is_long(connection.connection.info.get(_TICKET))
        if is_short and self._is_stuck(lock):
            self._limit(connection, STUCK_SECONDS)
        try:
            found = act()
        except DBAPIError as error:
            if is_short and is_lock_timeout(error):
                self._note_timeout(lock, error)
            raise
        _remember(self._taken, lock)
        self._stuck.pop(lock, None)
        return found

    def _is_stuck(self, lock: Lock) -> bool:
        return time.monotonic() - self._stuck.get(lock, 0.0) < _STUCK_FOR_SECONDS

    def _note_timeout(self, lock: Lock, error: DBAPIError) -> None:
        if time.monotonic() - self._taken.get(lock, 0.0) < _SERVED_FOR_SECONDS:
            error.add_note(CONTENDED)
        else:
            _remember(self._stuck, lock)

    @property
    def stalled_seconds(self) -> float:
        """For how long nobody of this process got SQLite's write lock while somebody waits."""
        with self._lock:
            return time.monotonic() - self._stalled_since if self._waiting else 0.0

    def end(self, ticket: _Ticket) -> None:
        """Let another transaction wait long."""
        with self._lock:
            self._long.discard(ticket)

    def attach_to(self, engine: Engine, limit: Limit) -> None:
        """Hear of the transactions of an engine's connections.

        limit: called at the beginning of each, with its connection and what `begin` returned.
        """
        self._limit = limit

        def begun(connection: Connection) -> None:
            ticket = connection.connection.info[_TICKET] = _Ticket()
            limit(connection, self.begin(ticket))

        def given_back(driver: Any, record: ConnectionPoolEntry) -> None:
            ticket = record.info.pop(_TICKET, None)
            if ticket is not None:
                self.end(ticket)

        event.listen(engine, "begin", begun)
        event.listen(engine, "checkin", given_back)

    def acquire_write_lock(
        self, attempt: Callable[[], None], longest: float | None, *, is_short: bool
    ) -> None:
        """Try for SQLite's write lock until it is taken or the time is over.

        attempt: waits for TURN_SECONDS at most, and raises OperationalError; longest: seconds after
        which it is over; is_short: give up before, once nobody of this process got the lock in as
        many turns as make SHORT_SECONDS. (SQLite serves those who wait in no order; and turns are
        fewer where the machine is so busy that this process hardly runs.)
        """
        started = time.monotonic()
        turns, takes = 0, self._takes
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
                    turns, takes = (turns + 1, takes) if takes == self._takes else (0, self._takes)
                    most = 1 if self._is_stuck(_WRITE_LOCK) else _SHORT_TURNS
                    is_stalled = is_short and turns >= most
                    if is_stalled:
                        _remember(self._stuck, _WRITE_LOCK)
                    if is_over or is_stalled or not _is_busy(error):
                        raise
                else:
                    with self._lock:
                        self._stalled_since = time.monotonic()
                        self._takes += 1
                        self._stuck.pop(_WRITE_LOCK, None)
                    return
        finally:
            with self._lock:
                self._waiting -= 1


def _remember(moments: dict[Lock, float], lock: Lock) -> None:
    if len(moments) >= _MOST_LOCKS:
        moments.clear()
    moments[lock] = time.monotonic()


def _is_busy(error: OperationalError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_BUSY
