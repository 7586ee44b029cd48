"""The workers that a reload replaces: they finish what they have begun, and end."""

import logging
import os
import signal
from collections.abc import Sequence

log = logging.getLogger(__name__)


class FormerWorkers:
    """Child processes of a former run of the parent. False when all have ended."""

    def __init__(self, pids: Sequence[int]) -> None:
        self.pids = [*pids]
        self._deadline: float | None = None

    def __bool__(self) -> bool:
        return bool(self.pids)

    def end(self, deadline: float) -> None:
        """Tell them once to end. deadline: when they are killed (monotonic seconds)."""
        if self._deadline is None:
            log.info("The new workers have started: %d former processes end", len(self.pids))
            self._deadline = deadline
            self.send(signal.SIGHUP)

    def kill_late(self, now: float) -> None:
        """Kill those that have not ended in time."""
        if self._deadline is not None and now >= self._deadline:
            log.error("Former processes that did not end in time are killed")
            self.send(signal.SIGKILL)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to all that have not ended."""
        for pid in self.pids:
            os.kill(pid, number)

    def reap(self) -> None:
        """Forget those that have ended."""
        self.pids = [pid for pid in self.pids if os.waitpid(pid, os.WNOHANG)[0] == 0]
