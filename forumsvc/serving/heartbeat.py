"""How the parent detects a worker that hangs: a heartbeat in shared memory."""

import mmap
import threading

HEARTBEAT_SECONDS = 1.0
"""The longest time between two beats of a worker, and between two checks by the parent."""


class Heartbeats:
    """Two counters for each process. Create it before the fork. Workers are numbered from 1.

    The first counts the iterations of the worker's main loop. The second counts those in which
    a thread was free or had finished a request since the iteration before: the progress.
    """

    def __init__(self, processes: int) -> None:
        """processes: the number of workers; one more process may do background work."""
        self._counters = memoryview(mmap.mmap(-1, 16 * (processes + 1))).cast("q")

    def beat(self, number: int, *, progress: bool) -> None:
        """Count an iteration of a worker's main loop."""
        self._counters[2 * number] += 1
        if progress:
            self._counters[2 * number + 1] += 1

    def read(self, number: int) -> tuple[int, int]:
        """Return a worker's iterations and progress."""
        iterations, progress = self._counters[2 * number : 2 * number + 2]
        return iterations, progress


class TaskCounter:
    """Counts the requests that a worker's threads are answering."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._lock = threading.Lock()
        self._started = 0
        self._seen_finished = 0
        self.finished = 0

    def start(self) -> None:
        """Count a request that a thread starts to answer."""
        with self._lock:
            self._started += 1

    def finish(self) -> None:
        """Count a request that a thread has answered."""
        with self._lock:
            self.finished += 1

    def has_progressed(self) -> bool:
        """Return whether a thread is free, or has finished a request since the last call."""
        with self._lock:
            progress = self._started - self.finished < self._threads
            progress = progress or self.finished != self._seen_finished
            self._seen_finished = self.finished
            return progress


class HangDetector:
    """Decides from a worker's heartbeat whether the worker hangs.

    Time counts only between checks: after a machine was suspended, no worker is hanging.
    """

    def __init__(self) -> None:
        self._last_counters = (-1, -1)
        self._loop_stalled = 0.0
        self._no_progress = 0.0

    def check(self, counters: tuple[int, int], elapsed: float, timeout: float) -> str | None:
        """Return why a worker counts as hanging, as text, or None.

        counters: its iterations and progress; elapsed: seconds since the last check; timeout:
        seconds without progress after which it hangs.
        """
        iterations, progress = counters
        self._loop_stalled = (
            0.0 if iterations != self._last_counters[0] else self._loop_stalled + elapsed
        )
        self._no_progress = (
            0.0 if progress != self._last_counters[1] else self._no_progress + elapsed
        )
        self._last_counters = counters
        if self._no_progress <= timeout:
            return None
        if self._loop_stalled > timeout:
            return f"its main loop stands still for {self._loop_stalled:.0f} s"
        return f"all its threads work on the same requests for {self._no_progress:.0f} s"
