"""A worker process as the process that it works for sees it."""

import json
import socket
import time
from typing import Any

_CHUNK = 1 << 16


class WorkerTimeoutError(Exception):
    """The worker did not answer in time."""


class WorkerDiedError(Exception):
    """The worker ended without an answer."""


class WorkerProcess:
    """A worker, and the socket to it. One thread at a time may use it.

    pid: its process id; retired: it must not be asked again.
    """

    def __init__(self, pid: int, connection: socket.socket) -> None:
        self.pid = pid
        self.retired = False
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

    def ask(self, job: dict[str, Any], deadline: float) -> None:
        """Give it a job (see `worker`). Raises WorkerTimeoutError, WorkerDiedError."""
        self._wait_until(deadline)
        try:
            self._connection.sendall(json.dumps(job).encode() + b"\n")
        except TimeoutError as error:
            raise WorkerTimeoutError from error
        except ConnectionError as error:
            raise WorkerDiedError from error

    def answer(self, deadline: float) -> dict[str, Any]:
        """Return the answer to the job. Raises WorkerDiedError, and WorkerTimeoutError at the
        deadline, after which it may be waited for again.
        """
        received = self._received
        while not (received and received[-1].endswith(b"\n")):
            self._wait_until(deadline)
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
        answer: dict[str, Any] = json.loads(b"".join(received))
        self.retired = self.retired or "last" in answer
        return answer

    def close(self) -> None:
        """Let go of it; it ends by itself when it has nothing left to do."""
        self._connection.close()

    def _wait_until(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise WorkerTimeoutError
        self._connection.settimeout(left)
