"""Replacing a server by a new run of its command, with the same process id and sockets.

The parent first lets another process load the new code and settings. If that fails, nothing
changes. Else the parent executes its command again; its workers serve meanwhile and are told to
end when the new ones work.
"""

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Sequence

_LOAD_ONLY = "FORUMSVC_LOAD_ONLY"
_SOCKETS = "FORUMSVC_SOCKETS"
_WORKERS = "FORUMSVC_OLD_WORKERS"

log = logging.getLogger(__name__)


class Trial:
    """A process that loads the application and ends."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            _command(), env={**os.environ, _LOAD_ONLY: "1"}, stdin=subprocess.DEVNULL
        )

    def succeeded(self) -> bool | None:
        """Return whether the application was loaded; None while that is not known."""
        status = self._process.poll()
        return None if status is None else status == 0

    def kill(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def is_trial() -> bool:
    """Return whether this process is only to load the application."""
    return _LOAD_ONLY in os.environ


def prepare(sockets: Sequence[socket.socket], workers: Sequence[int]) -> None:
    """Keep the sockets and the process ids of the workers for `execute`."""
    # Of their own, because the sockets are closed when the server is forgotten.
    descriptors = [os.dup(item.fileno()) for item in sockets]
    for descriptor in descriptors:
        os.set_inheritable(descriptor, True)
    os.environ[_SOCKETS] = ",".join(map(str, descriptors))
    os.environ[_WORKERS] = ",".join(map(str, workers))


def execute() -> None:
    """Run the command of this process again in its place."""
    command = _command()
    try:
        os.execv(command[0], command)  # noqa: S606
    except OSError as error:
        log.critical("%s cannot be executed: %s", command[0], error.strerror)


def take_sockets() -> list[int]:
    """Return the file descriptors of the sockets that the former run listened on."""
    return _take(_SOCKETS)


def take_workers() -> list[int]:
    """Return the process ids of the former run's workers, which are children of this process."""
    return _take(_WORKERS)


def _take(name: str) -> list[int]:
    return [int(number) for number in os.environ.pop(name, "").split(",") if number]


def _command() -> list[str]:
    """Return the command of this process.

    A script is run by itself, not by this interpreter: behind a link that points to a new virtual
    environment, it names another one.
    """
    program = os.path.abspath(sys.argv[0])
    if os.access(program, os.X_OK) and not os.path.isdir(program):
        return [program, *sys.argv[1:]]
    return [sys.executable, *sys.orig_argv[1:]]
