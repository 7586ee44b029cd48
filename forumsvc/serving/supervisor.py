"""The parent of all other processes: starts them, replaces those that die, ends them together.

The workers answer requests. One more process may run what the application does in the background.
"""

import ctypes
import gc
import logging
import os
import signal
import socket
import sys
import time
from dataclasses import dataclass, field

from forumsvc.serving.environment import WORKER_NUMBER
from forumsvc.serving.heartbeat import HEARTBEAT_SECONDS, HangDetector, Heartbeats
from forumsvc.serving.options import Options
from forumsvc.serving.signals import (
    SHUTDOWN_SIGNALS,
    block,
    open_signal_pipe,
    unblock,
    wait_for_signals,
)

EXIT_SECONDS = 5.0
"""How long the exit handlers of a worker may take after its last request."""
STABLE_SECONDS = 10.0
"""A worker that dies earlier than this counts as one that cannot start."""
MIN_RESTART_DELAY = 0.1
MAX_RESTART_DELAY = 10.0
PR_SET_PDEATHSIG = 1

log = logging.getLogger(__name__)


BACKGROUND = 0
"""The number of the process that runs the application's background work."""


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


def supervise(
    options: Options,
    sockets: list[socket.socket],
    heartbeats: Heartbeats,
    *,
    with_background: bool,
) -> int | None:
    """Start workers and keep their number until a signal; replace those that die or hang.

    sockets: what they listen on; closed here at the shutdown. heartbeats: show that the workers
    make progress. with_background: whether there is one more process, for background work.
    Returns, like a fork, in each process its number: from 1 in workers, else BACKGROUND (with
    signals blocked until it is ready for them), and in the parent, when all have ended, None.
    """
    parent = os.getpid()
    slots = [Slot(number) for number in range(1, options.processes + 1)]
    if with_background:
        slots.append(Slot(BACKGROUND))
    signal_pipe = open_signal_pipe([signal.SIGCHLD])
    unblock()
    # Objects that exist now stay; the garbage collector must not touch, and so copy, shared memory.
    gc.collect()
    gc.freeze()
    deadline: float | None = None
    last_check = time.monotonic()
    while deadline is None or any(slot.pid for slot in slots):
        now = time.monotonic()
        if deadline is None:
            for slot in slots:
                if slot.pid is None and slot.start_at <= now and not _fork_into(slot):
                    _become_worker(parent, signal_pipe)
                    return slot.number
            waits = [slot.start_at - now for slot in slots if slot.pid is None]
            if options.worker_timeout:
                if now - last_check >= HEARTBEAT_SECONDS:
                    # Time in which this process itself was suspended is not counted.
                    elapsed = min(now - last_check, 2 * HEARTBEAT_SECONDS)
                    last_check = now
                    _kill_hanging(slots, heartbeats, elapsed, options.worker_timeout)
                waits.append(last_check + HEARTBEAT_SECONDS - now)
        else:
            waits = [deadline - now]
            if now >= deadline:
                log.error("Workers that did not end in time are killed")
                _send_to_all(slots, signal.SIGKILL)
                waits = []
        for number in wait_for_signals(signal_pipe, min(waits, default=None)):
            if number in SHUTDOWN_SIGNALS:
                repeated_interrupt = deadline is not None and number == signal.SIGINT
                _send_to_all(
                    slots, signal.SIGQUIT if repeated_interrupt else _forwarded_signal(number)
                )
                if deadline is None:
                    log.info("Shutdown after %s: the workers end", signal.Signals(number).name)
                    deadline = time.monotonic() + options.graceful_timeout + EXIT_SECONDS
                    for bound in sockets:
                        bound.close()
        _reap(slots, shutting_down=deadline is not None)
    signal.set_wakeup_fd(-1)
    log.info("All workers have ended")
    return None


def _kill_hanging(
    slots: list[Slot], heartbeats: Heartbeats, elapsed: float, timeout: float
) -> None:
    """Kill the workers that hang; they are then replaced like others that end."""
    for slot in slots:
        if slot.pid is None:
            continue
        reason = slot.hang_detector.check(heartbeats.read(slot.number), elapsed, timeout)
        if reason is not None:
            log.error("%s (process %d) hangs and is killed: %s", slot.name, slot.pid, reason)
            os.kill(slot.pid, signal.SIGKILL)
            slot.hang_detector = HangDetector()


def _forwarded_signal(number: int) -> signal.Signals:
    """Return the signal that the parent sends to the workers when it gets this one."""
    return signal.SIGQUIT if number == signal.SIGQUIT else signal.SIGTERM


def _fork_into(slot: Slot) -> bool:
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


def _become_worker(parent: int, signal_pipe: int) -> None:
    """Release what belongs to the parent, and end when it ends."""
    os.close(signal.set_wakeup_fd(-1))
    os.close(signal_pipe)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)  # The parent ended before prctl was called.


def _send_to_all(slots: list[Slot], number: signal.Signals) -> None:
    """Send a signal to every worker."""
    for slot in slots:
        if slot.pid is not None:
            os.kill(slot.pid, number)


def _reap(slots: list[Slot], *, shutting_down: bool) -> None:
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
