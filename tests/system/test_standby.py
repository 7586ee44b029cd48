"""A primary dies under load and its streaming standby is promoted, in both directions."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url, select, text

from forumsvc import migrate
from forumsvc.db import write_check
from forumsvc.db.availability import Availability, AvailabilityCheck
from forumsvc.doctor import postgresql_servers
from forumsvc.models import Reply
from tests import databases
from tests.functional.forum import API
from tests.postgres_keeper import (
    FIXED_SETTINGS,
    INITDB,
    binaries,
    free_port,
    ready,
    stop_with_keeper,
    unprivileged,
)
from tests.system.forum_process import prepare, serving
from tests.system.process import PATIENCE, wait_until
from tests.system.test_database_recovery import Storm, under_load
from tests.system.test_serving_reload import reload

STREAMING = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"


@dataclass
class Server:
    """One PostgreSQL of the pair: its files, its address, and how to run its programs."""

    data: Path
    port: int
    programs: Path
    run: dict[str, Any]
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start it, and return when it accepts connections."""
        options = [
            f"-c{name}={value}" for name, value in {**FIXED_SETTINGS, "port": self.port}.items()
        ]
        command: list[str | Path] = [self.programs / "postgres", "-D", self.data, *options]
        process = subprocess.Popen(command, preexec_fn=stop_with_keeper, **self.run)
        self.process = process
        assert ready(process, self.data / "postmaster.pid")

    def stop(self) -> None:
        """Stop it as in a crash, without a shutdown."""
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(PATIENCE)

    def follow(self, primary: "Server") -> None:
        """Become a standby of another server, from a copy of its files."""
        shutil.rmtree(self.data, ignore_errors=True)
        copy: list[str | Path] = [self.programs / "pg_basebackup", "-d", primary.address]
        options = ["-R", "--no-sync", "-c", "fast", "-D"]
        subprocess.run([*copy, *options, self.data], check=True, **self.run)
        self.start()
        wait_until(lambda: primary.ask(STREAMING) == 1, "the standby streams")
        primary.await_standbys("*")

    def await_standbys(self, names: str) -> None:
        """Make commits wait for the standbys of these names; empty for none."""
        self.ask(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        self.ask("SELECT pg_reload_conf()")

    @property
    def address(self) -> str:
        return f"host=127.0.0.1 port={self.port} user=postgres dbname=postgres"

    def ask(self, statement: str) -> Any:
        with psycopg.connect(self.address, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            row = cursor.fetchone() if cursor.description else None
            return row[0] if row else None


@pytest.fixture
def pair() -> Iterator[tuple[Server, Server]]:
    """A primary and its synchronous standby."""
    home = Path(tempfile.mkdtemp(prefix="forumsvc-standby-"))
    servers = []
    try:
        account = unprivileged(home)
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        run = {**quiet, "stderr": subprocess.DEVNULL, "cwd": home, **account}
        run["env"] = {**os.environ, "LC_ALL": "C"}
        programs = binaries(home, account) / "bin"
        servers = [Server(home / name, free_port(), programs, run) for name in ("one", "two")]
        first, second = servers
        subprocess.run([programs / "initdb", *INITDB, "-D", first.data], check=True, **run)
        first.start()
        first.ask("CREATE DATABASE forum")
        second.follow(first)
        yield first, second
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(home, ignore_errors=True)


def url_of(pair: tuple[Server, Server]) -> str:
    """Return the URL of the database on whichever of two servers takes writes."""
    ports = ",".join(str(server.port) for server in pair)
    return (
        f"postgresql+psycopg://postgres@/forum?host=127.0.0.1,127.0.0.1&port={ports}"
        "&target_session_attrs=read-write"
    )


def test_a_promoted_standby_is_found_without_a_restart_and_nothing_acknowledged_is_lost(
    pair, tmp_path, record_property
):
    url = url_of(pair)
    with databases.open_temporarily(url) as database:
        migrate.upgrade(database.writes)
    away: list[float] = []

    def fail_over(primary: Server, standby: Server, storming: Storm) -> None:
        began = time.monotonic()
        primary.stop()
        assert standby.ask("SELECT pg_promote()") is True
        standby.await_standbys("")
        promoted = time.monotonic()
        storming.writes(1)
        away.append(time.monotonic() - began)
        storming.writes(30)
        assert storming.recovered(promoted) < PATIENCE / 10

    def happen(storming: Storm) -> None:
        first, second = pair
        fail_over(first, second, storming)
        # The service goes on while the old primary becomes the standby of the new one.
        first.follow(second)
        assert first.ask("SELECT pg_is_in_recovery()") is True
        storming.writes(30)
        fail_over(second, first, storming)

    under_load(url, tmp_path, happen)
    record_property(
        "summary",
        "primary dead, standby promoted, twice under load: a write acknowledged again after "
        + " and ".join(f"{seconds:.2f} s" for seconds in away),
    )


def test_a_missing_synchronous_standby_is_a_database_that_takes_no_writes(pair, monkeypatch):
    primary, standby = pair
    monkeypatch.setattr(write_check, "_EVERY_SECONDS", 0)
    url = f"postgresql+psycopg://postgres@127.0.0.1:{primary.port}/forum"
    with databases.open_temporarily(url) as database:
        check = AvailabilityCheck(database)
        assert check.check() == Availability(reads=True, writes=True)
        standby.stop()
        assert check.check() == Availability(reads=True, writes=False)
        primary.await_standbys("")
        assert check.check() == Availability(reads=True, writes=True)


def test_an_old_primary_that_comes_back_gets_no_connection(pair, caplog):
    first, second = pair
    url = url_of(pair)
    port = text("SELECT current_setting('port')::int")

    def asked() -> set[int]:
        with (
            databases.open_temporarily(url) as database,
            database.reads.connect() as reads,
            database.writes.connect() as writes,
        ):
            return {reads.scalar(port), writes.scalar(port)}

    assert asked() == {first.port}
    first.stop()
    assert second.ask("SELECT pg_promote()") is True
    second.await_standbys("")
    assert asked() == {second.port}
    first.start()
    assert first.ask("SELECT pg_is_in_recovery()") is False
    assert asked() == {second.port}
    assert f"127.0.0.1:{first.port} is an old primary (timeline 1, " in caplog.text
    [found] = postgresql_servers.check_servers(make_url(url))
    assert found.level == "error"
    assert f"127.0.0.1:{first.port} (timeline 1)" in found.message
    assert f"127.0.0.1:{second.port} (timeline 2)" in found.message


def test_an_old_primary_that_comes_back_gets_no_connection_after_a_reload_either(pair, tmp_path):
    first, second = pair
    url = url_of(pair)
    with databases.open_temporarily(url) as database:
        migrate.upgrade(database.writes)
        scene = prepare(url, database, tmp_path)
    with serving(tmp_path, url) as service:

        def takes_writes() -> bool:
            return bool(service.get("/health").json["writes"])

        first.stop()
        assert second.ask("SELECT pg_promote()") is True
        second.await_standbys("")
        wait_until(takes_writes, "the new primary is found")
        first.start()
        first.await_standbys("")
        for _ in range(2):
            seen = len(service.log)
            reload(service, 2)
            wait_until(takes_writes, "the reloaded service takes writes")
            assert f"127.0.0.1:{first.port} is an old primary" in service.log[seen:]
        path = f"{API}/topics/{scene.topics[0]}/replies"
        assert service.post(path, scene.people[0].token, body="Hello").status == 201
    first.stop()
    with databases.open_temporarily(url) as database, database.reads.connect() as db:
        assert db.scalar(select(Reply.body)) == "Hello"
