"""The signals that shut a server down, and waiting for signals."""

import os
import select
import signal
from collections.abc import Iterable

SHUTDOWN_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})


def block() -> None:
    """Block the shutdown signals: without handlers, they would kill the process."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SHUTDOWN_SIGNALS)


def unblock() -> None:
    """Unblock the shutdown signals; pending ones are delivered at once."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SHUTDOWN_SIGNALS)


def is_ignored(number: int) -> bool:
    """Return whether this process was started with a signal ignored (`nohup`: SIGHUP)."""
    return signal.getsignal(number) == signal.SIG_IGN


def open_signal_pipe(others: Iterable[int] = ()) -> int:
    """Have each shutdown signal write its number into a pipe; return the end to read from.

    others: more signals. A plain handler could run between the check for work and the wait for it.
    """
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    for number in [
        *others,
        *(
            shutdown_signal
            for shutdown_signal in SHUTDOWN_SIGNALS
            if not is_ignored(shutdown_signal)
        ),
    ]:
        signal.signal(number, lambda *_: None)
    return read_end


def wait_for_signals(signal_pipe: int, timeout: float | None) -> bytes:
    """Wait for signals, at most `timeout` seconds; return their numbers."""
    if timeout is not None:
        timeout = max(0.0, timeout)
    ready, _, _ = select.select([signal_pipe], [], [], timeout)
    return os.read(signal_pipe, 4096) if ready else b""
