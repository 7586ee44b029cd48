"""The parent of several workers: starts them, replaces those that die, ends them together."""

import ctypes
import gc
import logging
import os
import select
import signal
import socket
import sys
import time
from dataclasses import dataclass, field

from forumsvc.serving.connection_balancer import Shares
from forumsvc.serving.environment import WORKER_NUMBER
from forumsvc.serving.heartbeat import HEARTBEAT_SECONDS, Heartbeats, Watch
from forumsvc.serving.options import Options
from forumsvc.serving.signals import ENDINGS, hold, ignored, release

EXIT_TIME = 5.0
"""Seconds that a worker has for its exit handlers after its last request."""
STEADY = 10.0
"""Seconds after which a worker that dies is not one that cannot start."""
FIRST_DELAY = 0.1
LONGEST_DELAY = 10.0
PR_SET_PDEATHSIG = 1

log = logging.getLogger(__name__)


@dataclass
class Slot:
    """The place of one worker.

    number: from 1; pid: of the process in it, None while there is none.
    started, due: when that one started, when the next one shall (monotonic seconds).
    delay: seconds between the death of a worker that lived shortly and its successor's start.
    watch: what was seen of its heartbeat.
    """

    number: int
    pid: int | None = None
    started: float = 0.0
    due: float = 0.0
    delay: float = 0.0
    watch: Watch = field(default_factory=Watch)


def supervise(
    options: Options, sockets: list[socket.socket], shares: Shares, heartbeats: Heartbeats
) -> int | None:
    """Start workers and keep their number until a signal ends them; replace those that hang.

    sockets: what they listen on; closed here when the end comes. shares: what each of them holds;
    of one that has ended it is told here. heartbeats: by which they show that they make progress.
    Returns, like a fork, in each worker its number from 1 (with signals held back until it is
    ready for them), and in the parent, when all have ended, None.
    """
    parent = os.getpid()
    slots = [Slot(number) for number in range(1, options.processes + 1)]
    inbox = _signals_to_pipe()
    release()
    # What is there now stays as it is: the collector need not touch, and so copy, shared memory.
    gc.collect()
    gc.freeze()
    deadline: float | None = None
    looked = time.monotonic()
    while deadline is None or any(slot.pid for slot in slots):
        now = time.monotonic()
        if deadline is None:
            for slot in slots:
                if slot.pid is None and slot.due <= now and not _fork_into(slot):
                    _become_worker(parent, inbox)
                    return slot.number
            waits = [slot.due - now for slot in slots if slot.pid is None]
            if options.worker_timeout:
                if now - looked >= HEARTBEAT_SECONDS:
                    # Time in which this process itself stood still counts for nobody.
                    elapsed = min(now - looked, 2 * HEARTBEAT_SECONDS)
                    looked = now
                    _kill_hanging(slots, heartbeats, elapsed, options.worker_timeout)
                waits.append(looked + HEARTBEAT_SECONDS - now)
        else:
            waits = [deadline - now]
            if now >= deadline:
                log.error("Workers that did not end in time are killed")
                _send(slots, signal.SIGKILL)
                waits = []
        for number in _received(inbox, min(waits, default=None)):
            if number in ENDINGS:
                again = deadline is not None and number == signal.SIGINT
                _send(slots, signal.SIGQUIT if again else _passed_on(number))
                if deadline is None:
                    log.info("Shutdown after %s: the workers end", signal.Signals(number).name)
                    deadline = time.monotonic() + options.graceful_timeout + EXIT_TIME
                    for bound in sockets:
                        bound.close()
        for slot in _reap(slots, ending=deadline is not None):
            shares.leave(slot.number)
    signal.set_wakeup_fd(-1)
    log.info("All workers have ended")
    return None


def _kill_hanging(
    slots: list[Slot], heartbeats: Heartbeats, elapsed: float, timeout: float
) -> None:
    """Kill the workers that hang; they are replaced as all that end."""
    for slot in slots:
        if slot.pid is None:
            continue
        reason = slot.watch.look(heartbeats.read(slot.number), elapsed, timeout)
        if reason is not None:
            log.error(
                "Worker %d (process %d) hangs and is killed: %s", slot.number, slot.pid, reason
            )
            os.kill(slot.pid, signal.SIGKILL)
            slot.watch = Watch()


def _passed_on(number: int) -> signal.Signals:
    """Return what the workers get when the parent gets this signal."""
    return signal.SIGQUIT if number == signal.SIGQUIT else signal.SIGTERM


def _signals_to_pipe() -> int:
    """Have every signal that matters write its number into a pipe; return the end to read.

    A handler alone could run between a look for work and the wait for it.
    """
    inbox, outbox = os.pipe()
    os.set_blocking(inbox, False)
    os.set_blocking(outbox, False)
    signal.set_wakeup_fd(outbox, warn_on_full_buffer=False)
    for number in {*ENDINGS, signal.SIGCHLD}:
        if number == signal.SIGCHLD or not ignored(number):
            signal.signal(number, lambda *_: None)
    return inbox


def _received(inbox: int, timeout: float | None) -> bytes:
    """Wait for signals, `timeout` seconds at most; return their numbers."""
    if timeout is not None:
        timeout = max(0.0, timeout)
    ready, _, _ = select.select([inbox], [], [], timeout)
    return os.read(inbox, 4096) if ready else b""


def _fork_into(slot: Slot) -> bool:
    """Start a worker. Returns True in the parent, False in the worker."""
    # A signal to the newborn must not run the parent's handlers: they would write into its pipe.
    hold()
    # Before the fork, so that what runs right after it in the worker knows the number, too.
    os.environ[WORKER_NUMBER] = str(slot.number)
    pid = os.fork()
    if pid == 0:
        return False
    release()
    slot.pid = pid
    slot.started = time.monotonic()
    slot.watch = Watch()
    log.info("Worker %d is process %d", slot.number, pid)
    return True


def _become_worker(parent: int, inbox: int) -> None:
    """Shed what is the parent's, and end when it does."""
    os.close(signal.set_wakeup_fd(-1))
    os.close(inbox)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)  # It was killed before the kernel was told.


def _send(slots: list[Slot], number: signal.Signals) -> None:
    """Send a signal to every worker."""
    for slot in slots:
        if slot.pid is not None:
            os.kill(slot.pid, number)


def _reap(slots: list[Slot], *, ending: bool) -> list[Slot]:
    """Note which workers have ended, and when their successors are due; return their places."""
    now = time.monotonic()
    emptied = []
    for slot in slots:
        if slot.pid is None:
            continue
        pid, status = os.waitpid(slot.pid, os.WNOHANG)
        if pid == 0:
            continue
        slot.pid = None
        emptied.append(slot)
        if ending:
            continue
        steady = now - slot.started >= STEADY
        slot.delay = 0.0 if steady else min(max(FIRST_DELAY, slot.delay * 2), LONGEST_DELAY)
        slot.due = now + slot.delay
        log.error(
            "Worker %d (process %d) ended with %d; the next one starts in %.1f s",
            slot.number,
            pid,
            os.waitstatus_to_exitcode(status),
            slot.delay,
        )
    return emptied
