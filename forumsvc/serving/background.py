"""The process, or under `--reload` the thread, of the application's background work."""

import logging
import multiprocessing
import signal
import time
from collections.abc import Callable
from typing import Protocol

from forumsvc.serving.heartbeat import HEARTBEAT_SECONDS
from forumsvc.serving.signals import open_signal_pipe, unblock, wait_for_signals

log = logging.getLogger(__name__)

_STOP_CHECK_SECONDS = 0.1


class Background(Protocol):
    """Background work of an application, in threads of its own."""

    def start(self) -> None:
        """Start, in this process."""

    def stop(self) -> None:
        """Begin to stop, without waiting."""

    def log_if_nobody_works(self) -> None:
        """Log it if no process anywhere does this work; called where this server does not."""

    def unfinished(self) -> list[str]:
        """Return the names of what still runs."""


def run_until_signal(
    background: Background, stop_seconds: float, beat: Callable[[], None] = lambda: None
) -> None:
    """Run background work until a signal ends the process. Call it in the main thread.

    stop_seconds: how long it may take to finish what it does; SIGQUIT ends it at once. beat: called
    at least every second.
    """
    multiprocessing.current_process().name = "background"
    signal_pipe = open_signal_pipe()
    unblock()
    background.start()
    received = b""
    while not received:
        beat()
        received = wait_for_signals(signal_pipe, HEARTBEAT_SECONDS)
    log.info("Shutdown after %s", signal.Signals(received[0]).name)
    background.stop()
    deadline = time.monotonic() + stop_seconds
    while (
        background.unfinished() and signal.SIGQUIT not in received and time.monotonic() < deadline
    ):
        beat()
        received = wait_for_signals(signal_pipe, _STOP_CHECK_SECONDS)
    unfinished = background.unfinished()
    if unfinished:
        log.warning("Not finished at the shutdown: %s", ", ".join(unfinished))
