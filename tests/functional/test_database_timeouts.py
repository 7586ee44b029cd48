"""Timeouts of the database are a 503 with Retry-After."""

from typing import Any

import pytest
from sqlalchemy import func, select, text

from forumsvc.cache.database import open_database
from forumsvc.db.connection_options import ConnectionOptions, Timeouts
from forumsvc.db.engine import Database
from tests.databases import on_postgresql
from tests.functional.threads import alone
from tests.system.process import wait_until


def assert_come_back(answer: Any) -> None:
    """Check that a response is a 503 of the service."""
    assert (answer.status_int, set(answer.json)) == (503, {"error"})
    assert answer.headers["Retry-After"] == "1"


def test_an_exhausted_pool_fails_soon(make_forum):
    forum = make_forum(sqlalchemy__pool_size="1", database__pool_timeout_seconds="0.1")
    alice, node = forum.person("alice"), forum.node()
    database: Database = forum.registry.database
    # The pool and as many beyond it; the last is only taken, as SQLite has one writer.
    taken = [database.writes.pool.connect() for _ in range(2)]
    try:
        assert_come_back(alice.post("/topics", title="T", body="B", node_id=node))
        assert forum.nobody.get("/topics").status_int == 200
    finally:
        for connection in taken:
            connection.close()
    assert alice.post("/topics", title="T", body="B", node_id=node).status_int == 201


@pytest.mark.direct
@on_postgresql
def test_a_statement_that_takes_too_long_is_cancelled(make_forum, monkeypatch):
    forum = make_forum(database__statement_timeout_seconds="0.2")
    alice, node = forum.person("alice"), forum.node()
    executor = forum.registry.database.executor
    rows = executor.rows
    slow = select(func.pg_sleep(30).label("slept"))
    monkeypatch.setattr(executor, "rows", lambda statement, values: rows(slow, {}))
    assert_come_back(forum.nobody.get("/topics"))
    monkeypatch.undo()
    topic = forum.topic(alice, node)
    with forum.database.writes.connect() as other:
        other.execute(text("LOCK TABLE replies IN EXCLUSIVE MODE"))
        assert_come_back(alone(forum, alice).post(f"/topics/{topic}/replies", body="B"))
        other.rollback()
    assert alice.post(f"/topics/{topic}/replies", body="B").status_int == 201


@on_postgresql
def test_an_idle_transaction_is_ended(database_url, forum):
    limited = open_database(
        database_url, ConnectionOptions(timeouts=Timeouts(idle_transaction=0.1))
    )
    gone = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid")
    try:
        with limited.session() as db:
            pid = db.scalar(text("SELECT pg_backend_pid()"))
            with forum.database.reads.connect() as watch:
                wait_until(lambda: not watch.scalar(gone, {"pid": pid}), "the session is ended")
            with pytest.raises(Exception, match="idle-in-transaction timeout"):
                db.execute(text("SELECT 1"))
        with limited.session() as db:
            assert db.scalar(text("SELECT 1")) == 1
    finally:
        limited.dispose()
