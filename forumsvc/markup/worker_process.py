"""A worker process as the process that started it sees it."""

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any, cast

_ROOT = str(Path(__file__).parents[2])
_COMMAND = [sys.executable, "-P", "-m", "forumsvc.markup.worker"]
_CHUNK = 1 << 16
_CLOSE_SECONDS = 1.0


class WorkerTimeoutError(Exception):
    """The worker did not answer in time."""


class WorkerDiedError(Exception):
    """The worker ended without an answer."""


class WorkerProcess:
    """A started worker, and the pipes to it. One thread at a time may use it."""

    def __init__(self) -> None:
        """Start it; that it is ready to work is another matter, see `await_ready`."""
        path = os.pathsep.join(filter(None, [_ROOT, os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(  # noqa: S603
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=os.environ | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
            process_group=0,
        )
        self._input = cast(IO[bytes], self._process.stdin)
        self._output = cast(IO[bytes], self._process.stdout)
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._output.fileno(), False)
        self._ready = False
        self.retired = False

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it runs and may be asked again."""
        return not self.retired and self._process.poll() is None

    def await_ready(self, seconds: float) -> None:
        """Wait until it has loaded its libraries. Raises WorkerTimeoutError, WorkerDiedError."""
        if not self._ready:
            self._read(time.monotonic() + seconds)
            self._ready = True

    def ask(self, job: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return the answer to a job (see `worker`). Raises WorkerTimeoutError, WorkerDiedError."""
        deadline = time.monotonic() + seconds
        self._write(json.dumps(job).encode() + b"\n", deadline)
        answer = self._read(deadline)
        self.retired = "last" in answer
        return answer

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._process.kill()
        self._close_pipes()
        self._process.wait()

    def close(self) -> None:
        """Let it end by itself at the end of its input; kill it where it does not."""
        self._input.close()
        try:
            self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()

    def disown(self) -> None:
        """Let go of it in a forked child of the process that it belongs to."""
        self._close_pipes()
        self._process.poll()  # it is not this process's child, so Popen takes it for ended

    def _close_pipes(self) -> None:
        self._input.close()
        self._output.close()

    def _write(self, data: bytes, deadline: float) -> None:
        rest = memoryview(data)
        try:
            while rest:
                _wait(self._input.fileno(), select.POLLOUT, deadline)
                rest = rest[os.write(self._input.fileno(), rest) :]
        except BrokenPipeError as error:
            raise WorkerDiedError from error

    def _read(self, deadline: float) -> dict[str, Any]:
        chunks: list[bytes] = []
        while not (chunks and chunks[-1].endswith(b"\n")):
            _wait(self._output.fileno(), select.POLLIN, deadline)
            chunk = os.read(self._output.fileno(), _CHUNK)
            if not chunk:
                raise WorkerDiedError
            chunks.append(chunk)
        answer: dict[str, Any] = json.loads(b"".join(chunks))
        return answer


def _wait(descriptor: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise WorkerTimeoutError
