"""GET /health reports whether the database can be read and written, without blocking."""

import os
import re
import sqlite3
import threading
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import text
from webtest import TestApp

from forumsvc.db import availability, write_check
from forumsvc.db.availability import AvailabilityCheck
from forumsvc.db.engine import Database
from forumsvc.views import errors
from tests.cases import each
from tests.databases import on_postgresql, on_sqlite
from tests.functional.background_jobs import let_worker_live
from tests.functional.conftest import close_application
from tests.functional.forum import Forum, make_app
from tests.functional.statements import counting
from tests.functional.test_connect import defaults

pytestmark = pytest.mark.both_databases

GOOD = {"status": "ok", "reads": True, "writes": True, "worker": False, "copy": False}


def health(application: Any, path: str = "/health", **environ: Any) -> Any:
    return TestApp(application).get(path, status="*", extra_environ=environ)


def assert_it_takes_no_writes(forum: Forum) -> Any:
    answer = health(forum.application)
    shown = answer.json
    assert (answer.status_int, answer.headers["Retry-After"]) == (503, "1")
    assert (shown["status"], shown["reads"], shown["writes"]) == ("failed", True, False)
    return shown


def waiting_in_the_pool(database: Database) -> list[Any]:
    """Return the idle driver connections of the pool of writes."""
    pool: Any = database.writes.pool
    return [record.dbapi_connection for record in list(pool._pool.queue)]


@each("path", ["/health", "/health/ready"])
def test_health_is_200_if_reads_and_writes_work(forum, path):
    answer = health(forum.application, path)
    assert (answer.status_int, answer.json) == (200, GOOD)


def test_live_is_200_without_a_statement(forum):
    with counting(forum.registry.database) as seen:
        answer = health(forum.application, "/health/live")
    assert (answer.status_int, answer.json, len(seen)) == (200, {"status": "ok"}, 0)


def test_before_the_end_a_server_is_alive_and_not_ready(forum):
    environ = {"forumsvc.draining": True}
    ready = health(forum.application, "/health/ready", **environ)
    assert ready.status_int == 503
    error = {"error": "This server is about to end.", "status": "failed"}
    assert ready.json == {**GOOD, **error}
    assert health(forum.application, "/health/live", **environ).status_int == 200


def test_health_runs_four_statements_at_most_and_takes_no_lock(forum):
    health(forum.application)  # it may try a write, once in some seconds
    with counting(forum.registry.database) as seen:
        health(forum.application)
    expected = 3 if forum.database.is_sqlite else 4
    assert len(seen) == expected
    if forum.database.is_sqlite:
        with closing(sqlite3.connect(str(forum.database.url.database))) as other:
            other.execute("BEGIN IMMEDIATE")
            assert health(forum.application).json == GOOD


def test_health_says_whether_a_background_worker_is_alive_and_is_200_without_one(forum):
    found = []
    for seconds in (30, -4, -6):
        let_worker_live(forum.database, seconds)
        answer = health(forum.application)
        found.append((answer.status_int, answer.json["worker"]))
    assert found == [(200, True), (200, True), (200, False)]


@pytest.mark.direct
@on_postgresql
@each("envelope", ["bare", "keyed"])
def test_health_is_503_on_a_read_only_server(make_forum, envelope):
    forum = make_forum(api__envelope=envelope)
    assert health(forum.application).json == GOOD
    with defaults(forum.database.url.render_as_string(False), default_transaction_read_only="on"):
        for connection in waiting_in_the_pool(forum.registry.database):
            connection.pgconn.exec_(b"SET default_transaction_read_only = on")
        shown = assert_it_takes_no_writes(forum)
        assert "takes no writes" in str(shown)
        assert "error" in shown
    assert health(forum.application).json == GOOD


def test_health_is_503_without_the_database(tmp_path):
    application = make_app("postgresql://nobody@127.0.0.1:1/none", tmp_path)
    try:
        answer = health(application)
        assert answer.status_int == 503
        failed = {"error": "The database is not available.", "status": "failed"}
        assert answer.json == {**GOOD, **failed, "reads": False, "writes": False}
    finally:
        close_application(application)


def test_an_outage_is_logged_once_in_some_seconds_and_without_statements(
    tmp_path, caplog, monkeypatch
):
    now = 1000.0
    monkeypatch.setattr(errors, "_outage_log", errors.OutageLog())
    monkeypatch.setattr(errors, "monotonic", lambda: now)
    application = make_app("postgresql://nobody@127.0.0.1:1/none", tmp_path)
    try:
        for seconds in (0, 1, 1, 60):
            now += seconds
            assert health(application, "/api/v3/topics").status_int == 503
    finally:
        close_application(application)
    lines = [line for line in caplog.messages if "the database is away" in line]
    assert re.findall(r"as (\d+) others", " ".join(lines)) == ["0", "2"]
    assert not any("SELECT" in line or "sqlalche.me" in line for line in lines)


@on_sqlite
def test_health_is_503_while_somebody_holds_the_write_lock(forum, monkeypatch):
    monkeypatch.setattr(write_check, "_LOCK_SECONDS", 0.2)
    monkeypatch.setattr(write_check, "_EVERY_SECONDS", 0)
    with closing(sqlite3.connect(str(forum.database.url.database))) as other:
        other.execute("BEGIN IMMEDIATE")
        assert_it_takes_no_writes(forum)
        other.rollback()
    assert health(forum.application).json == GOOD


@on_postgresql
def test_health_is_503_after_a_write_for_which_the_disk_was_full(make_forum, monkeypatch):
    forum = make_forum()
    alice, node = forum.person("alice"), forum.node()
    assert health(forum.application).json == GOOD
    with forum.database.writes.begin() as connection:
        connection.execute(text(_FULL_DISK))
        connection.execute(
            text("CREATE TRIGGER full_disk BEFORE INSERT ON topics EXECUTE FUNCTION full_disk()")
        )
    try:
        assert alice.post("/topics", title="T", body="B", node_id=node).status_int == 503
        assert_it_takes_no_writes(forum)
    finally:
        with forum.database.writes.begin() as connection:
            connection.execute(text("DROP FUNCTION full_disk CASCADE"))
    later = write_check.monotonic() + 60
    monkeypatch.setattr(write_check, "monotonic", lambda: later)
    assert health(forum.application).json == GOOD


_FULL_DISK = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full';
END $$
"""


@on_sqlite
def test_health_is_503_after_a_write_that_the_file_refused(make_forum):
    forum = make_forum()
    alice, node = forum.person("alice"), forum.node()
    assert alice.post("/topics", title="T", body="B", node_id=node).status_int == 201
    for connection in waiting_in_the_pool(forum.registry.database):
        connection.execute("PRAGMA query_only = ON")
    assert alice.post("/topics", title="T", body="C", node_id=node).status_int == 503
    assert_it_takes_no_writes(forum)


def test_health_tries_a_write_now_and_then_and_changes_nothing(forum, monkeypatch):
    check = AvailabilityCheck(forum.database)
    now = write_check.monotonic()
    tried: list[float] = []
    monkeypatch.setattr(write_check, "monotonic", lambda: now)
    write = check._write_check._try

    def count_and_write() -> None:
        tried.append(now)
        write()

    monkeypatch.setattr(check._write_check, "_try", count_and_write)
    for seconds in (0, 1, 4, 2, 60):
        now += seconds
        assert check.check() == availability.Availability(reads=True, writes=True)
    assert len(tried) == 3


@on_sqlite
def test_health_is_503_for_a_read_only_file(forum, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert_it_takes_no_writes(forum)


def test_a_check_during_a_slow_check_returns_the_latest_result(database, monkeypatch):
    monkeypatch.setattr(availability, "_MAX_WAIT_SECONDS", 0.01)
    check = AvailabilityCheck(database)
    assert check.check() == availability.Availability(reads=True, writes=True)
    asked, go_on = threading.Event(), threading.Event()

    def hang(*rest: Any) -> list[Any]:
        asked.set()
        assert go_on.wait(30)
        return []

    monkeypatch.setattr(database.executor, "rows", hang)
    first = threading.Thread(target=check.check)
    first.start()
    assert asked.wait(30)
    assert check.check() == availability.Availability(reads=True, writes=True)
    go_on.set()
    first.join()
    assert check._latest == availability.Availability(reads=False, writes=True)
