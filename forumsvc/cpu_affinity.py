"""Which processor cores child processes may use, where the server itself stays on one of them.

A process inherits its parent's core: a child that works for a server process would otherwise fight
it for that one core while the others idle.
"""

import os
from contextlib import suppress

CORES = "FORUMSVC_CORES"
"""The environment variable with the cores that were there before any pinning: `0,1`."""


def unpin() -> None:
    """Let this thread, and those that it starts, use every core that the server was given.

    Where the variable is missing or wrong, those are all that the system lets it use.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    written = os.environ.get(CORES, "").split(",")
    cores = {int(core) for core in written if core.isascii() and core.isdigit()}
    with suppress(OSError, OverflowError, ValueError):
        os.sched_setaffinity(0, cores or range(os.cpu_count() or 1))


def beside_main_thread() -> None:
    """Keep this thread on the cores that the process's main thread stays on."""
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            os.sched_setaffinity(0, os.sched_getaffinity(os.getpid()))
