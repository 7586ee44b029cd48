"""A worker process, as seen by the process that uses it."""

import json
import socket
import time
from typing import Any

_CHUNK = 1 << 16
_CPU_CLOCK_OF_PROCESS = 2
_MIN_WAIT = 0.001


class WorkerTimeoutError(Exception):
    """The worker sent no result in time."""


class WorkerCpuError(Exception):
    """The worker used up the processor time for a text."""


class WorkerDiedError(Exception):
    """The worker ended without a result."""


class WorkerProcess:
    """A worker and the socket to it. Only one thread at a time may use it.

    pid: its process id; retired: whether it takes no more jobs; cpu_seconds: the processor time
    of its last job, as far as it is known.
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
        """Whether it can take a job. Only for a worker that is idle."""
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
        """Send it a job (see `render_worker`). Raises WorkerTimeoutError, WorkerDiedError."""
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
        """Return the result of the job like `receive_result`, with a limit on its processor time.

        Raises WorkerCpuError if the limit is exceeded.
        """
        while True:
            self.cpu_seconds = max(self.cpu_seconds, self._cpu_clock() - self._cpu_before)
            left = cpu_seconds - self.cpu_seconds
            if left <= 0:
                raise WorkerCpuError
            try:
                # One thread cannot use more processor time than wall-clock time.
                return self.receive_result(min(deadline, time.monotonic() + max(left, _MIN_WAIT)))
            except WorkerTimeoutError:
                if time.monotonic() >= deadline:
                    raise

    def receive_result(self, deadline: float) -> dict[str, Any]:
        """Return the result of the job. Raises WorkerDiedError, and WorkerTimeoutError at the
        deadline, after which it may be called again.
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
        """Close the socket; the worker exits when it has finished its job."""
        self._connection.close()

    def _cpu_clock(self) -> float:
        """Return the processor time of the process so far; 0 if it is gone.

        The clock id of another process is computed as in glibc's `clock_getcpuclockid`.
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
