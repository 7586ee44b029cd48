"""How the parent sees that a worker hangs: a heartbeat in memory that both see."""

import mmap
import threading

HEARTBEAT_SECONDS = 1.0
"""A worker beats at least as often, and the parent looks as often."""


class Heartbeats:
    """Two counters a worker, to be made before the fork. Workers are numbered from 1.

    turns: of its main loop; progress: those turns in which a thread was free or had finished a
    request since the turn before.
    """

    def __init__(self, processes: int) -> None:
        self._counters = memoryview(mmap.mmap(-1, 16 * processes)).cast("q")

    def beat(self, number: int, *, progress: bool) -> None:
        """Count a turn of a worker's main loop."""
        self._counters[2 * number - 2] += 1
        if progress:
            self._counters[2 * number - 1] += 1

    def read(self, number: int) -> tuple[int, int]:
        """Return a worker's turns and progress."""
        turns, progress = self._counters[2 * number - 2 : 2 * number]
        return turns, progress


class Tasks:
    """The requests that a worker's threads answer."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._lock = threading.Lock()
        self._started = 0
        self._seen_finished = 0
        self.finished = 0

    def start(self) -> None:
        """Count a request that a thread begins to answer."""
        with self._lock:
            self._started += 1

    def finish(self) -> None:
        """Count a request that a thread has answered."""
        with self._lock:
            self.finished += 1

    def make_progress(self) -> bool:
        """Tell whether a thread is free, or any has finished a request since the last call."""
        with self._lock:
            progress = self._started - self.finished < self._threads
            progress = progress or self.finished != self._seen_finished
            self._seen_finished = self.finished
            return progress


class Watch:
    """What the parent has seen of one worker's heartbeat.

    Time counts only while the parent looks: a machine that was suspended has no hanging workers.
    """

    def __init__(self) -> None:
        self._seen = (-1, -1)
        self._still = 0.0
        self._stuck = 0.0

    def look(self, counters: tuple[int, int], elapsed: float, timeout: float) -> str | None:
        """Return in words why a worker counts as hanging, or None.

        counters: its turns and progress; elapsed: seconds since the last look; timeout: seconds
        without progress after which it hangs.
        """
        turns, progress = counters
        self._still = 0.0 if turns != self._seen[0] else self._still + elapsed
        self._stuck = 0.0 if progress != self._seen[1] else self._stuck + elapsed
        self._seen = counters
        if self._stuck <= timeout:
            return None
        if self._still > timeout:
            return f"its main loop stands still for {self._still:.0f} s"
        return f"all its threads work on the same requests for {self._stuck:.0f} s"
