"""The signals that shut a server down."""

import signal

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
