"""The parent of all other processes: starts them, replaces those that die, ends them together.

The workers answer requests. One more process may run what the application does in the background.
"""

import gc
import logging
import os
import signal
import socket
import time
from enum import Enum

from forumsvc.serving import reload
from forumsvc.serving.former_workers import FormerWorkers
from forumsvc.serving.heartbeat import HEARTBEAT_SECONDS, Heartbeats
from forumsvc.serving.options import Options
from forumsvc.serving.signals import (
    SHUTDOWN_SIGNALS,
    block,
    open_signal_pipe,
    unblock,
    wait_for_signals,
)
from forumsvc.serving.slots import (
    BACKGROUND,
    Slot,
    become_worker,
    fork_into,
    kill_hanging,
    reap,
    send_to_all,
)

EXIT_SECONDS = 5.0
"""How long the exit handlers of a worker may take after its last request."""
FORMER_CHECK_SECONDS = 0.1
"""Between two looks whether the new workers have started."""

log = logging.getLogger(__name__)


class Ended(Enum):
    """Why the parent has nothing more to do."""

    FOR_GOOD = 1
    FOR_RELOAD = 2


class Supervisor:
    """Starts processes and keeps their number until a signal; replaces those that die or hang.

    deadline: of the shutdown, None before it (monotonic seconds).
    """

    def __init__(
        self,
        options: Options,
        sockets: list[socket.socket],
        heartbeats: Heartbeats,
        *,
        with_background: bool,
    ) -> None:
        """Prepare only.

        sockets: what the workers listen on; closed here at the shutdown. heartbeats: show that they
        make progress. with_background: whether there is one more process, for background work.
        """
        self._parent = os.getpid()
        self._options = options
        self._sockets = sockets
        self._heartbeats = heartbeats
        self._slots = [Slot(number) for number in range(1, options.processes + 1)]
        if with_background:
            self._slots.append(Slot(BACKGROUND))
        self._former = FormerWorkers(reload.take_workers())
        self._trial: reload.Trial | None = None
        self._deadline: float | None = None
        self._last_check = time.monotonic()

    def run(self) -> int | Ended:
        """Return, like a fork, in each process its number: from 1 in workers, else BACKGROUND.

        Signals are blocked until a worker is ready for them. In the parent return why it has ended:
        FOR_GOOD when all processes have ended, FOR_RELOAD when it is to run `reload.execute`.
        """
        signal_pipe = open_signal_pipe([signal.SIGCHLD])
        unblock()
        # Objects that exist now stay; the garbage collector must not touch, and so copy, shared
        # memory.
        gc.collect()
        gc.freeze()
        while self._deadline is None or self._former or any(slot.pid for slot in self._slots):
            now = time.monotonic()
            if self._deadline is None:
                for slot in self._slots:
                    if slot.pid is None and slot.start_at <= now and not fork_into(slot):
                        become_worker(self._parent, signal_pipe)
                        return slot.number
                wait = self._look_after(now)
            else:
                wait = self._kill_late(now)
            for number in wait_for_signals(signal_pipe, wait):
                self._handle(number)
            if self._trial is not None and self._has_loaded():
                break
            reap(self._slots, shutting_down=self._deadline is not None)
            self._former.reap()
        block()
        signal.set_wakeup_fd(-1)
        if self._deadline is None:
            return Ended.FOR_RELOAD
        log.info("All workers have ended")
        return Ended.FOR_GOOD

    def _look_after(self, now: float) -> float | None:
        """Kill workers that hang, end former ones; return how long nothing else is to be done."""
        waits = [slot.start_at - now for slot in self._slots if slot.pid is None]
        timeout = self._options.worker_timeout
        if timeout:
            if now - self._last_check >= HEARTBEAT_SECONDS:
                # Time in which this process itself was suspended is not counted.
                elapsed = min(now - self._last_check, 2 * HEARTBEAT_SECONDS)
                self._last_check = now
                kill_hanging(self._slots, self._heartbeats, elapsed, timeout)
            waits.append(self._last_check + HEARTBEAT_SECONDS - now)
        if self._former:
            if not waits or all(self._heartbeats.read(slot.number)[0] for slot in self._slots):
                self._former.end(now + self._end_seconds + self._options.address.channel_timeout)
            self._former.kill_late(now)
            waits.append(FORMER_CHECK_SECONDS)
        return min(waits, default=None)

    @property
    def _end_seconds(self) -> float:
        """How long a worker may take to end."""
        options = self._options
        return options.drain_seconds + options.graceful_timeout + EXIT_SECONDS

    def _kill_late(self, now: float) -> float | None:
        """Kill the workers that do not end in time; return how long they have yet."""
        if self._deadline is None or now < self._deadline:
            return None if self._deadline is None else self._deadline - now
        log.error("Workers that did not end in time are killed")
        self._send_to_all(signal.SIGKILL)
        return None

    def _handle(self, number: int) -> None:
        """Act on a signal."""
        if number == signal.SIGHUP and not os.isatty(0):
            self._begin_reload()
        elif number in SHUTDOWN_SIGNALS:
            self._begin_shutdown(number)

    def _begin_reload(self) -> None:
        if self._deadline is None and self._trial is None:
            log.info("Reload after SIGHUP: the new code and settings are loaded")
            self._trial = reload.Trial()

    def _has_loaded(self) -> bool:
        """Return whether the new code can take the place of this; say it if not."""
        succeeded = self._trial is not None and self._trial.succeeded()
        if succeeded is None:
            return False
        self._trial = None
        if succeeded:
            pids = [slot.pid for slot in self._slots if slot.pid is not None]
            reload.prepare(self._sockets, [*pids, *self._former.pids])
        else:
            log.error("No reload: the new code or settings cannot be loaded; all stays as it is")
        return succeeded

    def _begin_shutdown(self, number: int) -> None:
        repeated_interrupt = self._deadline is not None and number == signal.SIGINT
        self._send_to_all(signal.SIGQUIT if repeated_interrupt else _forwarded_signal(number))
        if self._deadline is None:
            log.info("Shutdown after %s: the workers end", signal.Signals(number).name)
            self._deadline = time.monotonic() + self._end_seconds
            for bound in self._sockets:
                bound.close()
            if self._trial is not None:
                self._trial.kill()
                self._trial = None

    def _send_to_all(self, number: signal.Signals) -> None:
        send_to_all(self._slots, number)
        self._former.send(number)


def _forwarded_signal(number: int) -> signal.Signals:
    """Return the signal that the parent sends to the workers when it gets this one."""
    return signal.SIGQUIT if number == signal.SIGQUIT else signal.SIGTERM
