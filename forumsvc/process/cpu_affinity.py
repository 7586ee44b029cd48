"""The processor cores that child processes use when the server itself is pinned to one core.

A process inherits its parent's core: a child with work of its own would compete with the server for
that one core while the others are idle.
"""

import os
from contextlib import suppress

CORES = "FORUMSVC_CORES"
"""The environment variable with the cores that were available before pinning: `0,1`."""


def unpin() -> None:
    """Allow this thread, and those that it starts, to use all cores that the server may use.

    If the variable is missing or invalid, these are all cores of the machine.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    listed = os.environ.get(CORES, "").split(",")
    cores = {int(core) for core in listed if core.isascii() and core.isdigit()}
    with suppress(OSError, OverflowError, ValueError):
        os.sched_setaffinity(0, cores or range(os.cpu_count() or 1))


def follow_main_thread() -> None:
    """Keep this thread on the cores of the process's main thread."""
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            os.sched_setaffinity(0, os.sched_getaffinity(os.getpid()))
