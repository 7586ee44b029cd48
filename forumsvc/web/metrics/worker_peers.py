"""The workers of one server collect each other's metrics.

Each worker listens on a socket in a directory that only this server's processes may enter, and
answers every connection. A worker that has ended leaves a socket that refuses connections; the next
collector removes it. A server that does not fork has no directory and no thread.
"""

import atexit
import logging
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread

from ...process import cpu_affinity, process_name

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 1.0
"""Seconds that all peers together have to answer."""
_MIN_TIMEOUT_SECONDS = 0.05
"""Seconds for the last peers: their answer may have arrived already."""
_CHUNK = 1 << 16


class WorkerPeers:
    """The other workers of one server. To be created before the server forks."""

    def __init__(self, report: Callable[[], bytes]) -> None:
        """report: returns the figures of this process; called in a thread of its own."""
        self._report = report
        self._dir: Path | None = None
        self._owner_pid = 0
        os.register_at_fork(before=self._create_dir, after_in_child=self._listen)

    def collect(self) -> dict[str, bytes]:
        """Return the report of each peer by its name; b"" if it does not answer."""
        if self._dir is None:
            return {}
        mine = f"-{os.getpid()}"
        connections = {}
        for path in self._dir.glob("[!.]*"):
            if path.name.endswith(mine):
                continue
            if (connection := _connect(path)) is not None:
                connections[path.name.partition("-")[0]] = connection
        deadline = time.monotonic() + TIMEOUT_SECONDS
        return {name: _read_all(connection, deadline) for name, connection in connections.items()}

    def _create_dir(self) -> None:
        """Make the folder, in the parent of the first worker."""
        if self._dir is None and process_name.WORKER_NUMBER in os.environ:
            self._owner_pid = os.getpid()
            self._dir = Path(tempfile.mkdtemp(prefix="forumsvc-workers-"))
            atexit.register(self._remove)

    def _remove(self) -> None:
        # The workers have inherited this exit handler.
        if self._dir is not None and os.getpid() == self._owner_pid:
            shutil.rmtree(self._dir, ignore_errors=True)

    def _listen(self) -> None:
        """Start to answer, in a new worker."""
        if self._dir is None or os.getppid() != self._owner_pid:
            return
        try:
            listener = _open(self._dir, f"{process_name.name()}-{os.getpid()}")
        except OSError as error:
            log.error(
                "the metrics of worker %s cannot be collected by others: %s",
                process_name.name(),
                error,
            )
            return
        Thread(target=self._serve, args=(listener,), name="metrics", daemon=True).start()

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
                # Not sooner: the main thread is put on its core only after the fork.
                cpu_affinity.follow_main_thread()
                with connection:
                    connection.settimeout(TIMEOUT_SECONDS)
                    connection.sendall(self._report())
            except OSError as error:
                log.debug("the peer has closed the connection: %s", error)
                time.sleep(
                    _MIN_TIMEOUT_SECONDS
                )  # Without files to open, each attempt fails at once.
            except Exception:
                log.exception("cannot report this worker's metrics")


def _open(folder: Path, name: str) -> socket.socket:
    """Listen on a socket of this name, which appears when the socket accepts connections."""
    listener = socket.socket(socket.AF_UNIX)
    unready = folder / f".{name}"
    listener.bind(str(unready))
    listener.listen()
    unready.rename(folder / name)
    return listener


def _connect(path: Path) -> socket.socket | None:
    """Return a connection, also to a hanging worker; None if the worker has ended."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(_MIN_TIMEOUT_SECONDS)
    try:
        connection.connect(str(path))
    except (ConnectionRefusedError, FileNotFoundError):
        path.unlink(missing_ok=True)
        connection.close()
        return None
    except OSError:
        connection.close()
    return connection


def _read_all(connection: socket.socket, deadline: float) -> bytes:
    """Return all data; nothing if it is not complete before the deadline."""
    chunks: list[bytes] = []
    with connection, suppress(OSError):
        while True:
            connection.settimeout(max(_MIN_TIMEOUT_SECONDS, deadline - time.monotonic()))
            chunk = connection.recv(_CHUNK)
            if not chunk:
                return b"".join(chunks)
            chunks.append(chunk)
    return b""
