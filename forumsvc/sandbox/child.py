"""The program of a sandbox process: it takes jobs from a socket and sends back their results.

Both are JSON, one object a line; standard input is the socket. The first line sent is `{}`: the
task is loaded. A job is `{"job": …, "cpu_seconds": limit}`. Its result is the task's own object, or
`{"error": "<name of the exception>"}`, with `"cpu_seconds"`, the processor time of the job, and
`"exiting": true` if the process exits afterwards. It also exits at the end of its input.
"""

import fcntl
import importlib
import json
import os
import resource
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from forumsvc.process import cpu_affinity

_MAX_RESIDENT = 120 << 20
_STATM = Path("/proc/self/statm")


def main(task: str, max_memory: int, life: int) -> None:
    """Serve the socket that is standard input.

    task: the name of its module. max_memory: bytes of address space, where the system limits it.
    life: the descriptor of a socket that the parent closes, and never writes to.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles the terminal's interrupt
    _set_limit(resource.RLIMIT_AS, max_memory)
    _set_limit(resource.RLIMIT_CORE, 0)
    cpu_affinity.unpin()
    _end_when_closed(life)
    with socket.socket(fileno=0) as connection, suppress(ConnectionError):
        serve(connection, importlib.import_module(task).start())


def serve(connection: socket.socket, run: Callable[[Any], dict[str, Any]]) -> None:
    """Process jobs until the end of the input, or until the process uses much memory."""
    connection.sendall(b"{}\n")
    with connection.makefile("rb") as lines:
        for line in lines:
            message = json.loads(line)
            started = time.thread_time()
            with _cpu_limit(message["cpu_seconds"]):
                try:
                    result = run(message["job"])
                except Exception as error:  # untrusted input may raise anything
                    result = {"error": type(error).__name__}
            result["cpu_seconds"] = time.thread_time() - started
            if _resident_bytes() > _MAX_RESIDENT:
                result["exiting"] = True
            connection.sendall(json.dumps(result).encode() + b"\n")
            if "exiting" in result:
                return


@contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    """Let the kernel end this process (SIGPROF) when the block has used so much processor time, in
    the middle of a C function as well.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _end_when_closed(life: int) -> None:
    """Let the kernel end this process (SIGIO) when the other end of a socket is closed.

    It is not the socket of the jobs: the signal of a job's arrival can come after the job itself.
    """
    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)


def _set_limit(which: int, limit: int) -> None:
    """Set a resource limit where the system has it; macOS refuses to limit the address space."""
    with suppress(OSError, ValueError):
        resource.setrlimit(which, (limit, limit))


def _resident_bytes() -> int:
    """Return the resident memory of this process, or 0 if the system does not report it.

    `getrusage` is not suitable: its maximum starts with that of the parent process.
    """
    try:
        return int(_STATM.read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return 0
