"""The workers of one server ask each other for what each alone knows.

Each listens on a socket in a folder that only this server's processes may enter, from its first
moment, and answers whoever connects. A worker that has ended leaves a socket that refuses; it is
swept away by the next who asks. Where the server does not fork there is no folder and no thread.
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

from ... import cpu_affinity, process_name

log = logging.getLogger(__name__)

PATIENCE = 1.0
"""Seconds that the others have to answer, all together."""
_LEAST = 0.05
"""Seconds for those that come last: what they said may have arrived already."""
_CHUNK = 1 << 16


class FellowWorkers:
    """The other processes of one server: to be made before it forks them."""

    def __init__(self, tell: Callable[[], bytes]) -> None:
        """tell: returns what this process answers the others; called by a thread of its own."""
        self._tell = tell
        self._folder: Path | None = None
        self._founder = 0
        os.register_at_fork(before=self._found, after_in_child=self._join)

    def ask(self) -> dict[str, bytes]:
        """Return what each of the others tells, by its name; nothing (b"") where it is silent."""
        if self._folder is None:
            return {}
        mine = f"-{os.getpid()}"
        lines = {}
        for path in self._folder.glob("[!.]*"):
            if path.name.endswith(mine):
                continue
            if (line := _connect(path)) is not None:
                lines[path.name.partition("-")[0]] = line
        deadline = time.monotonic() + PATIENCE
        return {name: _read_all(line, deadline) for name, line in lines.items()}

    def _found(self) -> None:
        """Make the folder, in the parent of the first worker."""
        if self._folder is None and process_name.NUMBER in os.environ:
            self._founder = os.getpid()
            self._folder = Path(tempfile.mkdtemp(prefix="forumsvc-workers-"))
            atexit.register(self._remove)

    def _remove(self) -> None:
        # The workers have inherited this exit handler.
        if self._folder is not None and os.getpid() == self._founder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _join(self) -> None:
        """Begin to answer, in a new worker."""
        if self._folder is None or os.getppid() != self._founder:
            return
        try:
            door = _open(self._folder, f"{process_name.name()}-{os.getpid()}")
        except OSError as error:
            log.error(
                "what worker %s counts is told by itself alone: %s", process_name.name(), error
            )
            return
        Thread(target=self._answer, args=(door,), name="metrics", daemon=True).start()

    def _answer(self, door: socket.socket) -> None:
        while True:
            try:
                line, _ = door.accept()
                # Not sooner: the main thread is put on its core only after the fork.
                cpu_affinity.beside_main_thread()
                with line:
                    line.settimeout(PATIENCE)
                    line.sendall(self._tell())
            except OSError as error:
                log.debug("whoever asked has gone: %s", error)
                time.sleep(_LEAST)  # Without files to open, each attempt fails at once.
            except Exception:
                log.exception("this worker's figures are missing")


def _open(folder: Path, name: str) -> socket.socket:
    """Listen on a socket of this name; it has it only when it answers."""
    door = socket.socket(socket.AF_UNIX)
    unready = folder / f".{name}"
    door.bind(str(unready))
    door.listen()
    unready.rename(folder / name)
    return door


def _connect(path: Path) -> socket.socket | None:
    """Return a connection, be it to one that hangs; None where nobody is there any more."""
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(_LEAST)
    try:
        line.connect(str(path))
    except (ConnectionRefusedError, FileNotFoundError):
        path.unlink(missing_ok=True)
        line.close()
        return None
    except OSError:
        line.close()
    return line


def _read_all(line: socket.socket, deadline: float) -> bytes:
    """Return all that comes; nothing where it does not end before the deadline."""
    said: list[bytes] = []
    with line, suppress(OSError):
        while True:
            line.settimeout(max(_LEAST, deadline - time.monotonic()))
            chunk = line.recv(_CHUNK)
            if not chunk:
                return b"".join(said)
            said.append(chunk)
    return b""
