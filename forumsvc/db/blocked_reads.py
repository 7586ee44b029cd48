"""Refuses at once the SELECTs of a table that is locked as a whole.

A SELECT waits for an ACCESS EXCLUSIVE lock only (LOCK TABLE, VACUUM FULL, most of ALTER TABLE), and
then every reader of the table waits. Once a SELECT has reached the lock timeout, one request of
the process at a time tries it again, so that such a lock never holds all threads.
"""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

from .failures import is_lock_timeout

REFUSED_FOR_SECONDS = 1.0
"""After a lock timeout; as long as `Retry-After` says."""

T = TypeVar("T")


class _Timeout(NamedTuple):
    """The last lock timeout of a SELECT: when (monotonic seconds), and what was raised."""

    at: float
    kind: type[Exception]
    args: tuple[Any, ...]


class BlockedReads:
    """A circuit breaker for the SELECTs of a process. Thread-safe."""

    def __init__(self) -> None:
        self._blocked: dict[Hashable, _Timeout] = {}
        self._lock = threading.Lock()
        self._is_testing = False

    def run(self, statement: Hashable, execute: Callable[[], T]) -> T:
        """Run a SELECT, or raise the error of its last lock timeout again without running it.

        statement: stands for the SELECT, whatever its parameters are. Raises the driver's errors.
        """
        blocked = self._blocked.get(statement)
        if blocked is not None:
            return self._test(blocked, lambda: self._run(statement, execute))
        return self._run(statement, execute)

    def _run(self, statement: Hashable, execute: Callable[[], T]) -> T:
        try:
            return execute()
        except Exception as error:
            if is_lock_timeout(error):
                self._blocked[statement] = _Timeout(time.monotonic(), type(error), error.args)
            raise

    def _test(self, latest: _Timeout, execute: Callable[[], T]) -> T:
        with self._lock:
            is_early = time.monotonic() - latest.at < REFUSED_FOR_SECONDS
            if self._is_testing or is_early:
                raise latest.kind(*latest.args)
            self._is_testing = True
        try:
            found = execute()
            # Most often the other SELECTs were blocked by the same lock.
            self._blocked.clear()
            return found
        finally:
            self._is_testing = False
