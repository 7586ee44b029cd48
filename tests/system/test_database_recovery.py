"""A database that becomes read-only, closes sessions, changes or holds locks during operation."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url, select

from forumsvc.models import Reply
from tests import databases
from tests.functional.recounting import drift
from tests.system.conftest import NewUrl
from tests.system.forum_process import Client, acknowledged, prepare, serving, storm
from tests.system.process import PATIENCE, wait_until

Record = Callable[[str, object], None]
MEMBERS = [f"member{number:02}" for number in range(20)]
"""Each author's texts are rendered one by one, so whoever writes at once is another one."""

_TERMINATE = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.fixture
def server_url(new_url: NewUrl) -> str:
    return new_url("postgresql")


@contextmanager
def administrator(url: str) -> Iterator["psycopg.Connection[Any]"]:
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
    server_url, tmp_path, record_property
):
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
    server_url, tmp_path, record_property
):
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
