"""PostgreSQL restarts under load: the service answers 503 meanwhile, and then recovers."""

import os
import shlex
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url, select

from forumsvc import migrate
from forumsvc.models import Reply
from tests import databases, postgres
from tests.functional.recounting import drift
from tests.postgres_keeper import stop_with_keeper
from tests.system.forum_process import acknowledged, prepare, serving, storm
from tests.system.process import PATIENCE, alive, wait_until


@dataclass
class Server:
    """A PostgreSQL that can be stopped and started again at the same address.

    url: of its database; folder: its data; pid: of its process.
    """

    url: str
    folder: Path
    pid: int
    again: "subprocess.Popen[bytes] | None" = None

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
        """Return whether it accepts connections."""
        plain = make_url(self.url).set(drivername="postgresql")
        try:
            psycopg.connect(plain.render_as_string(hide_password=False)).close()
        except psycopg.OperationalError:
            return False
        return True


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A PostgreSQL for this test only, with an empty forum."""
    url = postgres.server(tmp_path, postgres.DURABLE)
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
    """Stop the server for a while."""
    server.stop()
    try:
        yield
    finally:
        server.start()


def test_the_service_outlives_a_restart_of_postgresql_under_load(
    server: Server, tmp_path: Path
) -> None:
    with databases.open_temporarily(server.url) as database:
        setting = prepare(server.url, database, tmp_path, ["carol", "dave", "erin", "frank"])
        with serving(tmp_path, server.url) as service:
            with storm(service, setting, "storm") as clients:
                wait_until(lambda: len(acknowledged(clients)) >= 20, "writes before")
                gone = time.monotonic()
                with away(server):
                    wait_until(
                        lambda: all(c.answers[-1].status == 503 for c in clients), "it is missed"
                    )
                back = time.monotonic()
                before = len(acknowledged(clients))
                wait_until(lambda: len(acknowledged(clients)) >= before + 20, "writes after")
            assert alive(service.process.pid)
        answers = [answer for client in clients for answer in client.answers]
        assert not any(client.disconnected for client in clients)
        assert {answer.status for answer in answers} == {200, 201, 503}
        failed = [answer for answer in answers if answer.status == 503]
        assert all(answer.names_its_error for answer in failed)
        assert [answer for answer in failed if answer.sent > back] == []
        assert [a for a in answers if a.status != 503 and gone + 1 < a.sent < back - 1] == []
        with database.reads.connect() as db:
            kept = Counter(db.scalars(select(Reply.body)))
        assert [lost for lost in acknowledged(clients) if kept[lost] != 1] == []
        assert max(kept.values()) == 1
        assert drift(database) == []
