"""One thread makes a value that many want at the same time; the others wait for it."""

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

LONGEST_WAIT_SECONDS = 1.0
"""Who has waited so long makes the value too: nobody waits for a maker that hangs."""


class _Turn:
    """Whose turn it is to make a value. callers: how many make it or wait."""

    __slots__ = ("callers", "lock")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.callers = 0


class SingleFlight:
    """The values that are being made, by key. Safe to share between threads."""

    def __init__(self, longest_wait_seconds: float = LONGEST_WAIT_SECONDS) -> None:
        """Begin with nothing being made."""
        self._longest_wait = longest_wait_seconds
        self._turns: dict[Hashable, _Turn] = {}
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, key: Hashable) -> Iterator[None]:
        """Run a block that makes the value of a key, one thread after the other.

        The block begins with a look whether another thread has made the value meanwhile. Where that
        thread failed the value is not there, and the next one makes it.
        """
        with self._lock:
            turn = self._turns.setdefault(key, _Turn())
            turn.callers += 1
        mine = turn.lock.acquire(timeout=self._longest_wait)
        try:
            yield
        finally:
            if mine:
                turn.lock.release()
            with self._lock:
                turn.callers -= 1
                if not turn.callers:
                    del self._turns[key]
