"""A database that becomes read-only, closes sessions, changes or holds locks during operation."""

import http.client
import json
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest
from sqlalchemy import make_url, select

from forumsvc.db.engine import Database
from forumsvc.models import Reply
from tests import databases
from tests.functional.forum import API
from tests.functional.recounting import drift
from tests.system.forum_process import Client, Scene, acknowledged, prepare, serving, storm
from tests.system.process import PATIENCE, repeat_until, wait_until

Record = Callable[[str, object], None]
MEMBERS = [f"member{number:02}" for number in range(20)]
"""Each author's texts are rendered one by one, so whoever writes at once is another one."""

_TERMINATE = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.fixture
def server_url(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> str:
    """A PostgreSQL database for this test only."""
    return databases.new_url("postgresql", "recovery", tmp_path_factory, worker_id)


@contextmanager
def administrator(url: str) -> Iterator["psycopg.Connection[Any]"]:
    """Connect as an administrator."""
    with psycopg.connect(databases.plain_url(url), autocommit=True) as connection:
        yield connection


@dataclass
class Storm:
    """The responses to clients that write and read while something happens to the database."""

    clients: list[Client]

    def statuses(self, since: float, until: float = float("inf")) -> Counter[int]:
        """Count the statuses of requests that were sent between two times."""
        sent = [a for client in self.clients for a in client.answers if since < a.sent < until]
        return Counter(answer.status for answer in sent)

    def recovered(self, since: float) -> float:
        """Return for how many seconds some request was still answered with 503."""
        failed = [a.sent for c in self.clients for a in c.answers if a.status == 503]
        return max([0.0, *(sent - since for sent in failed)])

    def writes(self, more: int) -> None:
        """Wait until so many more replies are acknowledged."""
        before = len(acknowledged(self.clients))
        wait_until(lambda: len(acknowledged(self.clients)) >= before + more, "writes")


def under_load(url: str, folder: Path, happen: Callable[[Storm], None]) -> Storm:
    """Let something happen to a database in use; nothing acknowledged may be lost."""
    with databases.open_temporarily(url) as database:
        setting = prepare(url, database, folder, MEMBERS[:4])
        with serving(folder, url, threads=8) as service:
            with storm(service, setting, "storm") as clients:
                storming = Storm(clients)
                storming.writes(30)
                happen(storming)
                storming.writes(30)
            assert "Traceback" not in service.log
        assert not any(client.disconnected for client in clients)
        answers = [answer for client in clients for answer in client.answers]
        assert {answer.status for answer in answers} <= {200, 201, 503}, service.log[-3000:]
        assert all(answer.names_its_error for answer in answers if answer.status == 503)
        with database.reads.connect() as db:
            kept = Counter(db.scalars(select(Reply.body)))
        assert [lost for lost in acknowledged(clients) if kept[lost] != 1] == []
        assert max(kept.values()) == 1
        assert drift(database) == []
    return storming


def test_writes_come_back_after_a_read_only_phase_and_reads_go_on(
    server_url: str, tmp_path: Path, record_property: Record
) -> None:
    times: list[float] = []
    name = make_url(server_url).database

    def happen(storming: Storm) -> None:
        with administrator(server_url) as admin:
            times.append(time.monotonic())
            admin.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
            admin.execute(_TERMINATE)
            wait_until(
                lambda: storming.statuses(times[0])[503] >= 20, "writes are refused with 503"
            )
            admin.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only".encode())
            times.append(time.monotonic())

    storming = under_load(server_url, tmp_path, happen)
    begun, ended = times
    meanwhile = storming.statuses(begun, ended)
    assert meanwhile[200] >= 5, "reads go on"
    # What was under way at the end may be refused; nothing is that was sent later.
    assert storming.recovered(ended) < PATIENCE / 10
    record_property(
        "summary",
        f"read-only {ended - begun:.1f} s: {dict(meanwhile)}; the last 503 was sent"
        f" {storming.recovered(ended):.2f} s after its end",
    )


def test_terminated_sessions_are_met_without_an_error_that_lasts(
    server_url: str, tmp_path: Path, record_property: Record
) -> None:
    times: list[float] = []

    def happen(storming: Storm) -> None:
        with administrator(server_url) as admin:
            for _ in range(5):
                times.append(time.monotonic())
                admin.execute(_TERMINATE)
                storming.writes(10)

    storming = under_load(server_url, tmp_path, happen)
    assert storming.recovered(times[-1]) < PATIENCE / 10
    record_property(
        "summary",
        f"5 times terminated: {dict(storming.statuses(times[0]))}; the last 503 was sent"
        f" {storming.recovered(times[-1]):.2f} s after the last",
    )


def test_a_column_that_changes_its_type_fails_no_request(
    server_url: str, tmp_path: Path, record_property: Record
) -> None:
    times: list[float] = []

    def happen(storming: Storm) -> None:
        with administrator(server_url) as admin:
            times.append(time.monotonic())
            for length in (2000, 3000, 2000):
                for table, column in (("users", "name"), ("topics", "title")):
                    change = f"ALTER TABLE {table} ALTER COLUMN {column} TYPE varchar({length})"
                    admin.execute(change.encode())
                storming.writes(10)

    storming = under_load(server_url, tmp_path, happen)
    found = storming.statuses(times[0])
    assert set(found) == {200, 201}
    record_property("summary", f"6 types changed: {dict(found)}")


@dataclass
class Caller:
    """Sends a request in a thread of its own."""

    port: int
    method: str
    path: str
    token: str = ""
    form: dict[str, str] = field(default_factory=dict)
    status: int | None = None
    seconds: float = 0.0

    def __call__(self) -> int:
        """Send it; return the status."""
        began = time.monotonic()
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as http_:
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            if self.token:
                headers["Authorization"] = f"Bearer {self.token}"
            http_.request(self.method, self.path, urlencode(self.form) or None, headers)
            response = http_.getresponse()
            body = response.read()
        if response.status >= 400:
            assert "error" in json.loads(body)
        self.seconds = time.monotonic() - began
        self.status = response.status
        return response.status


@contextmanager
def held(database: Database, topic: int) -> Iterator[None]:
    """Lock a topic's row, or take the write lock of a file, in another transaction."""
    with ExitStack() as stack:
        if database.is_sqlite:
            file = stack.enter_context(closing(sqlite3.connect(str(database.url.database))))
            file.execute("BEGIN IMMEDIATE")
            stack.callback(file.rollback)
        else:
            admin = stack.enter_context(
                administrator(database.url.render_as_string(hide_password=False))
            )
            stack.enter_context(admin.transaction())
            admin.execute("UPDATE topics SET title = title WHERE id = %s", [topic])
        yield


def at_once(callers: list[Caller]) -> list[threading.Thread]:
    """Start callers, each in a thread."""
    threads = [threading.Thread(target=caller) for caller in callers]
    for thread in threads:
        thread.start()
    return threads


def warm_up(port: int, setting: Scene) -> None:
    """Make every thread of a service connect, and its renderer start."""
    path = f"{API}/topics/{setting.topics[1]}/replies"
    for _ in range(3):
        writers = [
            Caller(port, "POST", path, str(person.token), {"body": "Warm"})
            for person in setting.people[-8:]
        ]
        for thread in at_once(writers):
            thread.join()
        assert {writer.status for writer in writers} == {201}


def others(port: int, setting: Scene, *, may_write: bool) -> list[Caller]:
    """Return requests that do not need the lock."""
    found = [Caller(port, "GET", f"{API}/topics"), Caller(port, "GET", "/health")]
    if may_write:
        path = f"{API}/topics/{setting.topics[1]}/replies"
        found.append(Caller(port, "POST", path, str(setting.people[1].token), {"body": "Other"}))
    return found


def test_a_held_lock_blocks_only_requests_that_need_it(
    database_url: str, database: Database, tmp_path: Path, record_property: Record
) -> None:
    setting = prepare(database_url, database, tmp_path, MEMBERS)
    token = str(setting.people[0].token)
    path = f"{API}/topics/{setting.topics[0]}/replies"
    with serving(tmp_path, database_url, threads=8) as service:
        repliers = [
            Caller(service.port, "POST", path, str(person.token), {"body": "A reply"})
            for person in setting.people[-20:]
        ]
        answered: list[Caller] = []
        warm_up(service.port, setting)
        with held(database, setting.topics[0]):
            threads = at_once(repliers)
            for _ in repeat_until(
                lambda: not any(thread.is_alive() for thread in threads), "they are answered"
            ):
                for other in others(service.port, setting, may_write=not database.is_sqlite):
                    other()
                    # Only what came while somebody waited shows anything.
                    if any(replier.status is None for replier in repliers):
                        answered.append(other)
            for thread in threads:
                thread.join()
        assert {replier.status for replier in repliers} == {503}, service.log[-3000:]
        bad = [one for one in answered if one.status not in (200, 201)]
        if database.is_sqlite:
            # Nobody can write, which /health says in time.
            bad = [one for one in bad if one.path != "/health"]
        assert bad == []
        assert answered
        assert Caller(service.port, "POST", path, token, {"body": "Free"})() == 201
        # It tries a write every five seconds.
        wait_until(lambda: service.get("/health").status == 200, "writes are seen to work")
    slowest = max(one.seconds for one in answered)
    middle = sorted(one.seconds for one in answered)[len(answered) // 2]
    record_property(
        "summary",
        f"20 who need the lock: 503 within {max(one.seconds for one in repliers):.1f} s;"
        f" {len(answered)} others meanwhile: median {middle * 1000:.0f} ms,"
        f" slowest {slowest:.2f} s",
    )


def test_a_request_gets_a_lock_that_is_released_in_time(
    database_url: str, database: Database, tmp_path: Path
) -> None:
    setting = prepare(database_url, database, tmp_path, MEMBERS)
    path = f"{API}/topics/{setting.topics[0]}/replies"
    with serving(tmp_path, database_url, threads=8, database__lock_timeout_seconds="30") as service:
        repliers = [
            Caller(service.port, "POST", path, str(person.token), {"body": "A reply"})
            for person in setting.people[:2]
        ]
        with held(database, setting.topics[0]):
            threads = at_once(repliers)
            if not database.is_sqlite:
                with administrator(database_url) as admin:
                    waiting = (
                        "SELECT count(*) FROM pg_stat_activity"
                        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
                    )
                    wait_until(lambda: admin.execute(waiting).fetchone() == (2,), "both wait")
        for thread in threads:
            thread.join()
    assert [replier.status for replier in repliers] == [201, 201]
    assert drift(database) == []
