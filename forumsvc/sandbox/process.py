"""A sandbox process, as seen by the process that uses it."""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from forumsvc.process.cpu_affinity import CORES

from .errors import CpuLimitError, CrashError, DeadlineError

log = logging.getLogger(__name__)

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[3]);"
    "from forumsvc.sandbox.child import main;"
    "main(sys.argv[1], int(sys.argv[2]), int(sys.argv[4]))"
)
_START_SECONDS = 15.0
_CHUNK = 1 << 16


class SandboxProcess:
    """A process that runs one job after another. Only one thread at a time may use it.

    A context manager that kills the process. retired: whether it takes no more jobs.
    """

    def __init__(self, task: str, max_memory: int, files: Sequence[int] = ()) -> None:
        """Start the process; `wait_until_ready` waits for it.

        task: the name of a module, see the package. max_memory: bytes of address space.
        files: file descriptors that the process inherits. Raises OSError.
        """
        self.retired = False
        self._is_ready = False
        self._received: list[bytes] = []
        self._sent_at = self._cpu_limit = 0.0
        self._connection, theirs = socket.socketpair()
        self._life, their_life = socket.socketpair()
        path = json.dumps([folder or os.getcwd() for folder in sys.path])
        try:
            with theirs, their_life:
                life = their_life.fileno()
                self._process = subprocess.Popen(  # noqa: S603 - our own command
                    [sys.executable, "-I", "-c", _PROGRAM, task, str(max_memory), path, str(life)],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    env={CORES: os.environ.get(CORES, "")},
                    pass_fds=(*files, life),
                    process_group=0,
                )
        except OSError:
            self._close()
            raise

    def __enter__(self) -> "SandboxProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can take a job."""
        return not self.retired and self._process.poll() is None

    def wait_until_ready(self) -> None:
        """Wait until the task is loaded. Raises OSError if that fails or takes 15 seconds."""
        if self._is_ready:
            return
        try:
            self._receive_line(time.monotonic() + _START_SECONDS)
        except (CrashError, DeadlineError) as error:
            raise ChildProcessError("a sandbox process does not start") from error
        self._is_ready = True

    def send(self, job: Any, cpu_seconds: float, deadline: float) -> None:
        """Send a job. deadline: of `time.monotonic`. Raises DeadlineError, CrashError."""
        self._cpu_limit = cpu_seconds
        self._sent_at = time.monotonic()
        self._set_deadline(deadline)
        message = json.dumps({"job": job, "cpu_seconds": cpu_seconds})
        try:
            self._connection.sendall(message.encode() + b"\n")
        except TimeoutError:
            raise DeadlineError(self._most_cpu_seconds()) from None
        except ConnectionError as error:
            raise self._died() from error

    def receive(self, deadline: float) -> dict[str, Any]:
        """Return the result of the job, with `cpu_seconds`, the processor time that it took.

        Raises CpuLimitError, CrashError, and DeadlineError, after which it may be called again.
        """
        result: dict[str, Any] = json.loads(self._receive_line(deadline))
        self.retired = self.retired or "exiting" in result
        return result

    def kill(self) -> None:
        """End the process now."""
        self.retired = True
        self._close()
        self._process.kill()
        self._process.wait()

    def close_after_fork(self) -> None:
        """Release it in a forked child of the process that owns it."""
        self._close()
        self._process.poll()  # it is not a child of this process, so Popen considers it ended

    def _close(self) -> None:
        self._connection.close()
        self._life.close()

    def _receive_line(self, deadline: float) -> bytes:
        received = self._received
        while not (received and received[-1].endswith(b"\n")):
            self._set_deadline(deadline)
            try:
                chunk = self._connection.recv(_CHUNK)
            except TimeoutError:
                raise DeadlineError(self._most_cpu_seconds()) from None
            except ConnectionError as error:
                raise self._died() from error
            if not chunk:
                raise self._died()
            received.append(chunk)
        self._received = []
        return b"".join(received)

    def _died(self) -> CpuLimitError | CrashError:
        self._process.kill()
        status = self._process.wait()
        if status == -signal.SIGPROF:
            return CpuLimitError(self._cpu_limit)
        log.warning("a sandbox process ended without a result: exit status %d", status)
        return CrashError(self._most_cpu_seconds())

    def _most_cpu_seconds(self) -> float:
        """Return the most processor time that the job can have used so far."""
        return min(time.monotonic() - self._sent_at, self._cpu_limit)

    def _set_deadline(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise DeadlineError(self._most_cpu_seconds())
        self._connection.settimeout(left)
