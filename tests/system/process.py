"""Real processes for the system tests: waiting for what they do, looking at what is left."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

PATIENCE = 60.0
"""Seconds that a condition may take on a busy machine before it counts as never met."""

PR_SET_PDEATHSIG = 1


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Return as soon as `condition()` is true; fail, naming what was waited for, if it never is."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {PATIENCE:.0f} s for this: {what}")
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and waits to be reaped does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def hangs(pid: int) -> bool:
    """Tell whether every thread of a process is stopped."""
    tasks = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return all(task.rpartition(")")[2].split()[0] == "T" for task in tasks)


@contextmanager
def suspended(*pids: int) -> Iterator[None]:
    """Have processes hang, and go on afterwards."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
        wait_until(partial(hangs, pid), "it hangs")
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def prepare_child() -> None:
    """Give the calling process the signals that a terminal's child has, and its parent's end.

    To be given to `subprocess` as `preexec_fn`: a shell has jobs in the background ignore Ctrl-C,
    and their children with them; what a killed test has started is not to outlive it (Linux).
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def children(pid: int) -> list[int]:
    """Return the running child processes of a process, oldest first."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
        found = [Path(f"/proc/{pid}/task/{thread}/children").read_text() for thread in threads]
    except (FileNotFoundError, ProcessLookupError):
        return []
    return sorted(child for line in found for child in map(int, line.split()) if alive(child))
