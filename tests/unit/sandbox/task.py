"""A task for tests: a job names what the process does."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def start() -> Callable[[Any], dict[str, Any]]:
    """Return the function that does a job, `[name, argument]`."""
    return lambda job: {"done": _JOBS[job[0]](*job[1:])}


def _spin() -> None:
    while True:
        pass


def _use_time(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def _stall(path: str, times: int) -> str:
    """Wait for ever, but no more than so many times for the same file."""
    file = Path(path)
    if len(file.read_bytes()) < times:
        with file.open("ab") as begun:
            begun.write(b"x")
        time.sleep(1000)
    return "done"


def _raise() -> None:
    raise RuntimeError


_kept: list[bytearray] = []

_JOBS: dict[str, Callable[..., Any]] = {
    "echo": lambda value: value,
    "spin": _spin,
    "sleep": time.sleep,
    "use time": _use_time,
    "stall": _stall,
    "raise": _raise,
    "exit": os._exit,
    "kill": lambda number: os.kill(os.getpid(), number),
    "pid": os.getpid,
    "environment": lambda: dict(os.environ),
    "take memory": lambda size: len(bytearray(size)),
    "keep memory": lambda size: _kept.append(bytearray(b"x") * size),
    "write": lambda descriptor, text: os.write(descriptor, text.encode()),
}
