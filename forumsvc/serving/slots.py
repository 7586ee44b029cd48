"""The processes of a server: each has a slot, in which one follows another."""

import ctypes
import logging
import os
import signal
import sys
import time
from dataclasses import dataclass, field

from forumsvc.serving.environment import WORKER_NUMBER
from forumsvc.serving.heartbeat import HangDetector, Heartbeats
from forumsvc.serving.signals import block, unblock

STABLE_SECONDS = 10.0
"""A worker that dies earlier than this counts as one that cannot start."""
MIN_RESTART_DELAY = 0.1
MAX_RESTART_DELAY = 10.0
PR_SET_PDEATHSIG = 1

BACKGROUND = 0
"""The number of the process that runs the application's background work."""

log = logging.getLogger(__name__)


@dataclass
class Slot:
    """The slot of one process.

    number: of a worker, from 1, or BACKGROUND; pid: of its process, None while there is none.
    started_at, start_at: when that one started, when the next one is to start (monotonic seconds).
    restart_delay: seconds between the death of a worker that lived shortly and the next start.
    hang_detector: what was seen of its heartbeat.
    """

    number: int
    pid: int | None = None
    started_at: float = 0.0
    start_at: float = 0.0
    restart_delay: float = 0.0
    hang_detector: HangDetector = field(default_factory=HangDetector)

    @property
    def name(self) -> str:
        """What the logs call the process."""
        return f"Worker {self.number}" if self.number else "The background worker"


def kill_hanging(slots: list[Slot], heartbeats: Heartbeats, elapsed: float, timeout: float) -> None:
    """Kill the workers that hang; they are then replaced like others that end."""
    for slot in slots:
        if slot.pid is None:
            continue
        reason = slot.hang_detector.check(heartbeats.read(slot.number), elapsed, timeout)
        if reason is not None:
            log.error("%s (process %d) hangs and is killed: %s", slot.name, slot.pid, reason)
            os.kill(slot.pid, signal.SIGKILL)
            slot.hang_detector = HangDetector()


def fork_into(slot: Slot) -> bool:
    """Start a worker. Returns True in the parent, False in the worker."""
    # A signal to the new process must not run the parent's handlers: they write into its pipe.
    block()
    # Before the fork, so that after-fork handlers in the worker know the number, too.
    os.environ[WORKER_NUMBER] = str(slot.number) if slot.number else "background"
    pid = os.fork()
    if pid == 0:
        return False
    unblock()
    slot.pid = pid
    slot.started_at = time.monotonic()
    slot.hang_detector = HangDetector()
    log.info("%s is process %d", slot.name, pid)
    return True


def become_worker(parent: int, signal_pipe: int) -> None:
    """Release what belongs to the parent, and end when it ends."""
    os.close(signal.set_wakeup_fd(-1))
    os.close(signal_pipe)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)  # The parent ended before prctl was called.


def send_to_all(slots: list[Slot], number: signal.Signals) -> None:
    """Send a signal to every worker."""
    for slot in slots:
        if slot.pid is not None:
            os.kill(slot.pid, number)


def reap(slots: list[Slot], *, shutting_down: bool) -> None:
    """Reap the workers that have ended and schedule their successors."""
    now = time.monotonic()
    for slot in slots:
        if slot.pid is None:
            continue
        pid, status = os.waitpid(slot.pid, os.WNOHANG)
        if pid == 0:
            continue
        slot.pid = None
        if shutting_down:
            continue
        stable = now - slot.started_at >= STABLE_SECONDS
        slot.restart_delay = (
            0.0
            if stable
            else min(max(MIN_RESTART_DELAY, slot.restart_delay * 2), MAX_RESTART_DELAY)
        )
        slot.start_at = now + slot.restart_delay
        log.error(
            "%s (process %d) ended with %d; the next one starts in %.1f s",
            slot.name,
            pid,
            os.waitstatus_to_exitcode(status),
            slot.restart_delay,
        )
