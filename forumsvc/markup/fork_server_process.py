"""The fork server, as seen by the process that started it."""

import os
import socket
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from forumsvc.markup.worker_process import WorkerProcess

NUMBER = struct.Struct("!q")
"""The format of requests and replies, see `fork_server`."""

_ROOT = str(Path(__file__).parents[2])
_COMMAND = [sys.executable, "-P", "-m", "forumsvc.markup.fork_server"]
_START_SECONDS = 15.0
_REPLY_SECONDS = 5.0
_STOP_SECONDS = 1.0


class ForkServerProcess:
    """A running fork server. Thread-safe."""

    def __init__(self) -> None:
        """Start it and wait until it is ready. Raises OSError if that fails."""
        path = os.pathsep.join(filter(None, [_ROOT, os.environ.get("PYTHONPATH")]))
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own command
                    _COMMAND,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    env=os.environ | {"PYTHONPATH": path},
                    process_group=0,
                )
            except OSError:
                self._control.close()
                raise
        try:
            self._receive_reply(_START_SECONDS)
        except OSError:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def fork(self) -> WorkerProcess:
        """Return a new worker. Raises OSError."""
        ours, theirs = socket.socketpair()
        try:
            with theirs, self._lock:
                socket.send_fds(self._control, [NUMBER.pack(0)], [theirs.fileno()])
                pid = self._receive_reply(_REPLY_SECONDS)
            if pid < 0:
                raise OSError(-pid, os.strerror(-pid))
        except OSError:
            ours.close()
            raise
        return WorkerProcess(pid, ours)

    def kill(self, worker: WorkerProcess) -> None:
        """Kill one of its workers. If the fork server is gone, the worker exits by itself."""
        worker.close()
        with self._lock, suppress(OSError):
            self._control.sendall(NUMBER.pack(worker.pid))
            self._receive_reply(_REPLY_SECONDS)

    def close(self) -> None:
        """Stop it and with it its workers."""
        self._control.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close_after_fork(self) -> None:
        """Release it in a forked child of the process that owns it."""
        self._control.close()
        self._process.poll()  # it is not a child of this process, so Popen considers it ended

    def _receive_reply(self, seconds: float) -> int:
        """Return a reply. If none comes, kill the process: it would not reply later either."""
        self._control.settimeout(seconds)
        try:
            reply = self._control.recv(NUMBER.size)
        except OSError:
            self._process.kill()
            raise
        if not reply:
            self._process.kill()
            raise ChildProcessError("the fork server ended")
        number: int = NUMBER.unpack(reply)[0]
        return number
