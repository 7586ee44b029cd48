"""A worker process as the process that it works for sees it."""

import json
import socket
import time
from typing import Any

_CHUNK = 1 << 16
_CPU_CLOCK_OF_PROCESS = 2
_MIN_WAIT = 0.001


class WorkerTimeoutError(Exception):
    """The worker did not answer in time."""


class WorkerCpuError(Exception):
    """The worker used up the processor time of a text."""


class WorkerDiedError(Exception):
    """The worker ended without an answer."""


class WorkerProcess:
    """A worker, and the socket to it. One thread at a time may use it.

    pid: its process id; retired: it must not be asked again; cpu_seconds: the processor time that
    its last job took, as far as that is known.
    """

    def __init__(self, pid: int, connection: socket.socket) -> None:
        self.pid = pid
        self.retired = False
        self.cpu_seconds = 0.0
        self._cpu_before = 0.0
        self._connection = connection
        self._received: list[bytes] = []

    @property
    def alive(self) -> bool:
        """Whether it may be asked; only for one that is not at work."""
        if self.retired:
            return False
        self._connection.setblocking(False)
        try:
            self._connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except ConnectionError:
            return False
        return False

    def send_job(self, job: dict[str, Any], deadline: float) -> None:
        """Give it a job (see `worker`). Raises WorkerTimeoutError, WorkerDiedError."""
        self._set_deadline(deadline)
        self._cpu_before = self._cpu_clock()
        self.cpu_seconds = 0.0
        try:
            self._connection.sendall(json.dumps(job).encode() + b"\n")
        except TimeoutError as error:
            raise WorkerTimeoutError from error
        except ConnectionError as error:
            raise WorkerDiedError from error

    def receive_result_within(self, cpu_seconds: float, deadline: float) -> dict[str, Any]:
        """Return the answer to the job as `answer` does, within so much processor time of its own.

        Raises WorkerCpuError where that is used up.
        """
        while True:
            self.cpu_seconds = max(self.cpu_seconds, self._cpu_clock() - self._cpu_before)
            left = cpu_seconds - self.cpu_seconds
            if left <= 0:
                raise WorkerCpuError
            try:
                # One thread cannot use up more processor time than time passes.
                return self.receive_result(min(deadline, time.monotonic() + max(left, _MIN_WAIT)))
            except WorkerTimeoutError:
                if time.monotonic() >= deadline:
                    raise

    def receive_result(self, deadline: float) -> dict[str, Any]:
        """Return the answer to the job. Raises WorkerDiedError, and WorkerTimeoutError at the
        deadline, after which it may be waited for again.
        """
        received = self._received
        while not (received and received[-1].endswith(b"\n")):
            self._set_deadline(deadline)
            try:
                chunk = self._connection.recv(_CHUNK)
            except TimeoutError as error:
                raise WorkerTimeoutError from error
            except ConnectionError as error:
                raise WorkerDiedError from error
            if not chunk:
                raise WorkerDiedError
            received.append(chunk)
        self._received = []
        result: dict[str, Any] = json.loads(b"".join(received))
        self.retired = self.retired or "exiting" in result
        self.cpu_seconds = result.get("cpu_seconds", 0.0)
        return result

    def close(self) -> None:
        """Let go of it; it ends by itself when it has nothing left to do."""
        self._connection.close()

    def _cpu_clock(self) -> float:
        """Return the processor time of the process so far; 0 where it is gone.

        The number of another process's clock is made as glibc's `clock_getcpuclockid` makes it.
        """
        try:
            return time.clock_gettime((~self.pid << 3) | _CPU_CLOCK_OF_PROCESS)
        except OSError:
            return 0.0

    def _set_deadline(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise WorkerTimeoutError
        self._connection.settimeout(left)
