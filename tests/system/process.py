"""Processes in the system tests: waiting for events, inspecting and suspending processes."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

PATIENCE = float(os.environ.get("FORUMSVC_PATIENCE", "240"))
"""Seconds that a condition may take on a busy machine before it counts as never met."""

PR_SET_PDEATHSIG = 1


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Return when `condition()` is true; fail with the name `what` if it never is."""
    for _ in repeat_until(condition, what):
        time.sleep(0.01)


def repeat_until(condition: Callable[[], object], what: str) -> Iterator[None]:
    """Yield until `condition()` is true; fail with the name `what` if it never is."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {PATIENCE:.0f} s for this: {what}")
        yield


def alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def hangs(pid: int) -> bool:
    """Return whether every thread of a process is stopped."""
    tasks = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return all(task.rpartition(")")[2].split()[0] == "T" for task in tasks)


@contextmanager
def suspended(*pids: int) -> Iterator[None]:
    """Suspend processes, and continue them afterwards."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
        wait_until(partial(hangs, pid), "it hangs")
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def prepare_child() -> None:
    """Give the calling process a terminal's signal handling, and end it with its parent.

    Used as `preexec_fn` of `subprocess`: a shell makes background jobs and their children ignore
    Ctrl-C; and processes of a killed test must not survive it (Linux).
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
