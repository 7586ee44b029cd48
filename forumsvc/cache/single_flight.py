"""Lets one thread make a value that several need at the same time, while the others wait."""

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

MAX_WAIT_SECONDS = 1.0
"""After this wait a thread does without the other, which may hang."""


class _KeyLock:
    """The lock of a key. users: the number of threads that hold it or wait for it."""

    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0


class SingleFlight:
    """A lock for each key whose value is being made. Thread-safe."""

    def __init__(self, max_wait_seconds: float = MAX_WAIT_SECONDS) -> None:
        self._max_wait = max_wait_seconds
        self._locks: dict[Hashable, _KeyLock] = {}
        self._guard = threading.Lock()

    @contextmanager
    def lock(self, key: Hashable) -> Iterator[bool]:
        """Run a block that makes the value of a key, in one thread at a time.

        The block first checks whether another thread has made the value meanwhile. If that thread
        failed there is none, and this one makes it. Yield whether this thread waited for no longer
        than it should: else the other one is still at it.
        """
        with self._guard:
            entry = self._locks.setdefault(key, _KeyLock())
            entry.users += 1
        is_locked = entry.lock.acquire(timeout=self._max_wait)
        try:
            yield is_locked
        finally:
            if is_locked:
                entry.lock.release()
            with self._guard:
                entry.users -= 1
                if not entry.users:
                    del self._locks[key]
