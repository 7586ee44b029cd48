"""Counters in the memory of one process, each with an expiry time."""

import threading
import time

_SWEEP_SECONDS = 60


class MemoryCounts:
    """Thread-safe. `count` removes expired counts once a minute."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()
        self._sweep_at = time.time() + _SWEEP_SECONDS

    def __len__(self) -> int:
        return len(self._counts)

    def check(self) -> bool:
        """Return True: memory is always reachable."""
        return True

    def count(self, key: str, seconds: int) -> tuple[int, float]:
        """Count an event of a window that begins with the first one and takes `seconds`.

        Return its number and how many seconds are left of the window.
        """
        now = time.time()
        with self._lock:
            if now >= self._sweep_at:
                self._sweep_at = now + _SWEEP_SECONDS
                self._counts = {name: one for name, one in self._counts.items() if one[1] > now}
            number, ends = self._counts.get(key, (0, 0.0))
            if ends <= now:
                number, ends = 0, now + seconds
            self._counts[key] = number + 1, ends
        return number + 1, ends - now
