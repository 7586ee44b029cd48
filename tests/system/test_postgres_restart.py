"""PostgreSQL restarts under load: the service answers 503 meanwhile, and then recovers."""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

from forumsvc import migrate
from tests import databases, postgres
from tests.postgres_keeper import stop_with_keeper
from tests.system.process import PATIENCE, alive, wait_until
from tests.system.test_database_recovery import Storm, under_load

_BUSY_BACKEND = (
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
    " AND pid <> pg_backend_pid() ORDER BY state = 'idle', query_start DESC LIMIT 1"
)


@dataclass
class Server:
    """A PostgreSQL that can be stopped and started again at the same address.

    url: of its database; folder: its data; pid: of its process.
    """

    url: str
    folder: Path
    pid: int
    again: "subprocess.Popen[bytes] | None" = None

    @property
    def socket_url(self) -> str:
        """The URL by its Unix socket."""
        at = make_url(self.url)
        return f"{at.drivername}:///{at.database}?host={self.folder.parent}&port={at.port}&user=postgres"

    def stop(self) -> None:
        """Stop it at once, as in an administrator's restart: connections are closed."""
        os.kill(self.pid, signal.SIGINT)
        wait_until(lambda: not alive(self.pid), "PostgreSQL stops")

    def start(self) -> None:
        """Start it again, and return when it accepts connections."""
        owner = self.folder.stat()
        account: dict[str, Any] = {}
        if os.geteuid() != owner.st_uid:
            account = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
        self.again = subprocess.Popen(
            shlex.split((self.folder / "postmaster.opts").read_text()),
            cwd=self.folder.parent,
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=stop_with_keeper,
            **account,
        )
        wait_until(self.takes_connections, "PostgreSQL is back")

    def takes_connections(self) -> bool:
        try:
            psycopg.connect(databases.plain_url(self.url)).close()
        except psycopg.OperationalError:
            return False
        return True


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A PostgreSQL for this test only, with an empty forum."""
    url = postgres.server(tmp_path, {**postgres.DURABLE, "unix_socket_directories": ".."})
    pid = postgres.server_pid(url)
    folder = Path(os.readlink(f"/proc/{pid}/cwd"))
    url = postgres.create_database(url, "forum")
    with databases.open_temporarily(url) as database:
        migrate.upgrade(database.writes)
    made = Server(url, folder, pid)
    yield made
    if made.again is not None:
        made.again.send_signal(signal.SIGQUIT)
        made.again.wait(PATIENCE)
    assert postgres.release(tmp_path, wait=PATIENCE)


@contextmanager
def away(server: Server) -> Iterator[None]:
    server.stop()
    try:
        yield
    finally:
        server.start()


def test_the_service_outlives_a_restart_of_postgresql_under_load(server, tmp_path):
    times: list[float] = []

    def happen(storming: Storm) -> None:
        times.append(time.monotonic())
        with away(server):
            wait_until(
                lambda: all(c.answers[-1].status == 503 for c in storming.clients), "it is missed"
            )
        times.append(time.monotonic())

    storming = under_load(server.url, tmp_path, happen)
    gone, back = times
    assert storming.recovered(back) == 0
    assert storming.statuses(gone + 1, back - 1).keys() <= {503}


@pytest.mark.parametrize("by_socket", [False, True])
def test_a_backend_that_crashes_makes_no_request_fail_but_with_503(server, tmp_path, by_socket):
    url = server.socket_url if by_socket else server.url

    def happen(storming: Storm) -> None:
        for _ in range(3):
            with psycopg.connect(databases.plain_url(server.url)) as admin:
                [pid] = admin.execute(_BUSY_BACKEND).fetchone() or [0]
            # PostgreSQL ends all sessions then, and recovers from its log.
            os.kill(pid, signal.SIGKILL)
            wait_until(server.takes_connections, "PostgreSQL has recovered")
            storming.writes(10)

    under_load(url, tmp_path, happen)
