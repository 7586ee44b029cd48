"""Counters in the memory of one process, each with an expiry time."""

import threading
import time

_SWEEP_SECONDS = 60


class MemoryCounts:
    """The part of the interface of a `limits` storage that `RateLimiter` uses. Thread-safe.

    The memory storage of `limits` starts a thread for every hundredth of a second in which
    something is counted; here `incr` removes expired counts once a minute.
    """

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()
        self._sweep_at = time.time() + _SWEEP_SECONDS

    def __len__(self) -> int:
        return len(self._counts)

    def check(self) -> bool:
        """Return True: memory is always reachable."""
        return True

    def incr(self, key: str, expiry: int) -> int:
        """Count an event and return its number; the first one expires in `expiry` seconds."""
        now = time.time()
        with self._lock:
            if now >= self._sweep_at:
                self._sweep_at = now + _SWEEP_SECONDS
                self._counts = {name: one for name, one in self._counts.items() if one[1] > now}
            number, ends = self._counts.get(key, (0, 0.0))
            if ends <= now:
                number, ends = 0, now + expiry
            self._counts[key] = number + 1, ends
        return number + 1

    def get_expiry(self, key: str) -> float:
        """Return the POSIX time at which a count expires; now if there is none."""
        _, ends = self._counts.get(key, (0, time.time()))
        return ends
