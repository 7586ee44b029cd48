"""The worker processes of a renderer, for tests."""

import os
import subprocess
import sys
from pathlib import Path

import psutil

from tests.system.process import wait_until

SLOW = "``a`" * 10_000
"""A text that takes longer than any test has."""

ROOT = Path(__file__).parents[3]
COMMAND = "forumsvc.markup.fork_server_process._COMMAND"
"""What a fork server is started with."""


def fork_servers() -> list[psutil.Process]:
    """Return the fork servers of this process."""
    return [
        child
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE
        and "forumsvc.markup.fork_server" in " ".join(child.cmdline())
    ]


def workers() -> list[psutil.Process]:
    """Return the workers of this process."""
    return [
        worker
        for fork_server in fork_servers()
        for worker in fork_server.children()
        if worker.status() != psutil.STATUS_ZOMBIE
    ]


def end(process: psutil.Process) -> None:
    """Kill a process, and wait for its end."""
    process.kill()
    wait_for_end(process)


def wait_for_end(process: psutil.Process) -> None:
    """Wait until a child of another process has ended; it may be a zombie."""
    wait_until(
        lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE,
        "the process ends",
    )


def in_python(program: str) -> str:
    """Return the output of a program in a new interpreter."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    ).stdout
