"""Limits how long transactions wait for locks, so that they never block all threads of a process.

Of the open transactions of a process a few may wait as long as the session's lock timeout; all
others wait half a second, which is enough behind work that goes on. If a short wait fails, and no
other transaction of the process got the same lock meanwhile, the lock is stuck: for the next second
a wait for it lasts a tenth of a second, to see whether it still is.

On PostgreSQL the limit is sent together with BEGIN. On SQLite the only lock, the write lock, is
taken at BEGIN IMMEDIATE, which is tried repeatedly with a short busy timeout.
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
"""SQLite's busy timeout for its write lock."""

_STUCK_FOR_SECONDS = 1.0
_RECENT_SECONDS = 2.0
_SHORT_ATTEMPTS = round(SHORT_SECONDS / ATTEMPT_SECONDS)
_MAX_LOCKS = 1000
_TRANSACTION = "lock_waits.transaction"

Lock = Hashable
"""Identifies a lock: the text and the parameters of the statement that takes it."""

_WRITE_LOCK: Lock = "SQLite's write lock"

CONTENDED = "Others got the lock meanwhile."

T = TypeVar("T")
Limit = Callable[[Connection, float | None], None]


class _Transaction:
    """An open transaction, alive as long as its connection is checked out."""


class LockWaits:
    """The transactions of a process that may wait long. Thread-safe."""

    def __init__(self, max_long: int | None) -> None:
        """Let `max_long` transactions at a time wait long; None: all."""
        self._max_long = max_long
        self._long: WeakSet[_Transaction] = WeakSet()
        self._lock = threading.Lock()
        self._waiting = 0
        self._stalled_since = 0.0
        self._acquisitions = 0
        self._acquired: dict[Lock, float] = {}
        self._stuck: dict[Lock, float] = {}

    def begin(self, transaction: _Transaction) -> float | None:
        """Return how many seconds a new transaction may wait; None: as long as the session."""
        if self._max_long is None:
            return None
        with self._lock:
            if len(self._long) < self._max_long:
                self._long.add(transaction)
                return None
        return SHORT_SECONDS

    def is_long(self, transaction: _Transaction | None) -> bool:
        """Return whether a transaction may wait long."""
        return self._max_long is None or transaction in self._long

    def execute_locking(self, connection: Connection, lock: Lock, execute: Callable[[], T]) -> T:
        """Execute a statement that takes a lock of PostgreSQL. Requires `attach_to`.

        The error of a short wait has the note CONTENDED if others got the lock meanwhile.
        """
        is_short = not self.is_long(connection.connection.info.get(_TRANSACTION))
        if is_short and self._is_stuck(lock):
            self._limit(connection, STUCK_SECONDS)
        try:
            result = execute()
        except DBAPIError as error:
            if is_short and is_lock_timeout(error):
                self._on_timeout(lock, error)
            raise
        _remember(self._acquired, lock)
        self._stuck.pop(lock, None)
        return result

    def _is_stuck(self, lock: Lock) -> bool:
        return time.monotonic() - self._stuck.get(lock, 0.0) < _STUCK_FOR_SECONDS

    def _on_timeout(self, lock: Lock, error: DBAPIError) -> None:
        if time.monotonic() - self._acquired.get(lock, 0.0) < _RECENT_SECONDS:
            error.add_note(CONTENDED)
        else:
            _remember(self._stuck, lock)

    @property
    def stalled_seconds(self) -> float:
        """How long no thread of this process got SQLite's write lock while some wait for it."""
        with self._lock:
            return time.monotonic() - self._stalled_since if self._waiting else 0.0

    def end(self, transaction: _Transaction) -> None:
        """Let another transaction wait long in place of this one."""
        with self._lock:
            self._long.discard(transaction)

    def attach_to(self, engine: Engine, limit: Limit) -> None:
        """Limit the transactions of an engine.

        limit: called at the beginning of each, with its connection and the result of `begin`.
        """
        self._limit = limit

        def on_begin(connection: Connection) -> None:
            transaction = connection.connection.info[_TRANSACTION] = _Transaction()
            limit(connection, self.begin(transaction))

        def on_checkin(dbapi_connection: Any, record: ConnectionPoolEntry) -> None:
            transaction = record.info.pop(_TRANSACTION, None)
            if transaction is not None:
                self.end(transaction)

        event.listen(engine, "begin", on_begin)
        event.listen(engine, "checkin", on_checkin)

    def acquire_write_lock(
        self, attempt: Callable[[], None], timeout: float | None, *, is_short: bool
    ) -> None:
        """Try to get SQLite's write lock until the timeout.

        attempt: waits ATTEMPT_SECONDS at most, and raises OperationalError; timeout: in seconds;
        is_short: give up earlier, when no thread of this process got the lock during
        SHORT_SECONDS. That is counted in attempts, not in time, for SQLite serves waiters in no
        order, and a thread makes fewer attempts where the machine is so busy that it hardly runs.
        """
        started = time.monotonic()
        attempts, acquisitions = 0, self._acquisitions
        with self._lock:
            if not self._waiting:
                self._stalled_since = started
            self._waiting += 1
        try:
            while True:
                try:
                    attempt()
                except OperationalError as error:
                    is_over = timeout is not None and time.monotonic() - started >= timeout
                    if acquisitions != self._acquisitions:
                        attempts, acquisitions = 0, self._acquisitions
                    else:
                        attempts += 1
                    max_attempts = 1 if self._is_stuck(_WRITE_LOCK) else _SHORT_ATTEMPTS
                    is_stalled = is_short and attempts >= max_attempts
                    if is_stalled:
                        _remember(self._stuck, _WRITE_LOCK)
                    if is_over or is_stalled or not _is_busy(error):
                        raise
                else:
                    with self._lock:
                        self._stalled_since = time.monotonic()
                        self._acquisitions += 1
                        self._stuck.pop(_WRITE_LOCK, None)
                    return
        finally:
            with self._lock:
                self._waiting -= 1


def _remember(times: dict[Lock, float], lock: Lock) -> None:
    if len(times) >= _MAX_LOCKS:
        times.clear()
    times[lock] = time.monotonic()


def _is_busy(error: OperationalError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_BUSY
