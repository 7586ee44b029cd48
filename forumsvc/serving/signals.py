"""The signals that end a server."""

import signal

ENDINGS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})


def hold() -> None:
    """Have signals wait: until there are handlers, they would kill instead of end."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)


def release() -> None:
    """Let signals come, those that waited at once."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)


def ignored(number: int) -> bool:
    """Tell whether who started this process wants a signal ignored (`nohup` does SIGHUP)."""
    return signal.getsignal(number) == signal.SIG_IGN
