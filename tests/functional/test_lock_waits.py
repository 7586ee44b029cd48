"""A few transactions may wait long for a lock; the others time out soon."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from forumsvc.database import open_database
from forumsvc.db import lock_waits
from forumsvc.db.connection_options import ConnectionOptions
from forumsvc.db.engine import Database
from forumsvc.db.lock_waits import SHORT_SECONDS, STUCK_SECONDS, LockWaits, _Transaction
from forumsvc.db.timeouts import Timeouts
from forumsvc.models import Topic
from tests.databases import on_postgresql, on_sqlite
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum
from tests.functional.threads import alone, statuses, together
from tests.system.process import wait_until

pytestmark = pytest.mark.both_databases


def test_the_first_transactions_wait_long_and_the_others_shortly() -> None:
    waits = LockWaits(2)
    first, second, third = _Transaction(), _Transaction(), _Transaction()
    assert (waits.begin(first), waits.begin(second)) == (None, None)
    assert waits.begin(third) == SHORT_SECONDS
    waits.end(third)
    assert waits.begin(_Transaction()) == SHORT_SECONDS
    waits.end(second)
    assert waits.begin(second) is None
    assert waits.begin(_Transaction()) == SHORT_SECONDS


def test_a_transaction_without_its_connection_is_not_counted() -> None:
    waits = LockWaits(1)
    transaction = _Transaction()
    assert waits.begin(transaction) is None
    del transaction
    assert waits.begin(_Transaction()) is None


def test_commands_all_wait_long() -> None:
    waits = LockWaits(None)
    transactions = [_Transaction() for _ in range(9)]
    assert [waits.begin(transaction) for transaction in transactions] == [None] * 9


@contextmanager
def held(forum: Forum, topic: int) -> Iterator[None]:
    """Hold a topic's row, on SQLite the write lock, in another transaction."""
    if forum.database.is_sqlite:
        with closing(sqlite3.connect(str(forum.database.url.database))) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.rollback()
    else:
        with forum.database.writes.connect() as other:
            other.execute(select(Topic.id).where(Topic.id == topic).with_for_update())
            yield
            other.rollback()


@pytest.mark.direct
def test_a_lock_timeout_is_503_with_retry_after(make_forum: MakeForum) -> None:
    forum = make_forum(database__long_lock_waits="2", database__lock_timeout_seconds="1.5")
    alice = forum.person("alice")
    node = forum.node()
    topic, elsewhere = forum.topic(alice, node), forum.topic(alice, node)
    waits = forum.registry.database.lock_waits
    others: list[Any] = []

    def reply(to: int) -> Callable[[], Any]:
        caller = alone(forum, alice)
        return lambda: caller.post(f"/topics/{to}/replies", body="A reply")

    def meanwhile() -> None:
        wait_until(lambda: waits._stuck or waits.stalled_seconds > SHORT_SECONDS, "all wait")
        others.append(forum.nobody.get("/topics"))
        others.append(reply(elsewhere)())

    with held(forum, topic):
        *answers, _ = together([*(reply(topic) for _ in range(8)), meanwhile])
    assert statuses(answers) == {503: 8}
    assert {answer.headers["Retry-After"] for answer in answers} == {"1"}
    assert all(set(answer.json) == {"error"} for answer in answers)
    listed, written = others
    assert listed.status_int == 200
    # SQLite has one lock for all writes.
    assert written.status_int == (503 if forum.database.is_sqlite else 201)
    assert reply(topic)().status_int == 201
    assert forum.nobody.get(f"/topics/{topic}").json["replies_count"] == 1


def test_many_who_reply_to_one_topic_all_succeed(make_forum: MakeForum) -> None:
    forum = make_forum(database__long_lock_waits="2")
    alice, node = forum.person("alice"), forum.node()
    topic = forum.topic(alice, node)

    def reply() -> Callable[[], list[Any]]:
        caller = alone(forum, alice)
        return lambda: [caller.post(f"/topics/{topic}/replies", body="A reply") for _ in range(4)]

    # The number of threads of a server process.
    answers = together([reply() for _ in range(8)])
    assert statuses([answer for some in answers for answer in some]) == {201: 32}
    assert forum.nobody.get(f"/topics/{topic}").json["replies_count"] == 32


@on_postgresql
def test_after_a_failed_short_wait_the_next_waits_are_shorter(
    make_forum: MakeForum, monkeypatch: pytest.MonkeyPatch
) -> None:
    forum = make_forum(database__long_lock_waits="1")
    alice, node = forum.person("alice"), forum.node()
    topic, elsewhere = forum.topic(alice, node), forum.topic(alice, node)
    database = forum.registry.database
    long_transaction, limits = _Transaction(), []
    assert database.lock_waits.begin(long_transaction) is None
    limit = database.lock_waits._limit

    def noted(connection: Any, seconds: float | None) -> None:
        limits.append(seconds)
        limit(connection, seconds)

    monkeypatch.setattr(database.lock_waits, "_limit", noted)
    with held(forum, topic):
        for _ in range(2):
            assert alice.post(f"/topics/{topic}/replies", body="B").status_int == 503
        assert limits == [STUCK_SECONDS]
        assert alice.post(f"/topics/{elsewhere}/replies", body="B").status_int == 201
    assert alice.post(f"/topics/{topic}/replies", body="B").status_int == 201
    assert alice.post(f"/topics/{topic}/replies", body="B").status_int == 201
    assert set(limits) == {STUCK_SECONDS}
    assert len(limits) <= 2, "not once it was taken again"


@on_postgresql
def test_a_failed_short_wait_for_a_contended_lock_is_retried(
    make_forum: MakeForum, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_waits, "SHORT_SECONDS", 0.05)
    forum = make_forum(database__long_lock_waits="1")
    alice = forum.person("alice")
    topic = forum.topic(alice, forum.node())
    waits = forum.registry.database.lock_waits
    long_transaction, attempts = _Transaction(), []
    assert waits.begin(long_transaction) is None
    note = waits._on_timeout

    def others_got_it(lock: Any, error: Any) -> None:
        attempts.append(lock)
        lock_waits._remember(waits._acquired, lock)
        note(lock, error)

    monkeypatch.setattr(waits, "_on_timeout", others_got_it)
    with held(forum, topic):
        assert alice.post(f"/topics/{topic}/replies", body="B").status_int == 503
    assert len(attempts) == 3


@on_postgresql
@pytest.mark.parametrize("by", ["executor", "session"])
def test_the_limit_of_a_short_wait_ends_with_its_transaction(
    database_url: str, database: Database, by: str
) -> None:
    limited = open_database(database_url, ConnectionOptions(timeouts=Timeouts(long_lock_waits=1)))
    shown = text("SHOW lock_timeout")

    def limit(db: Any) -> str:
        if by == "executor":
            limited.executor.rows_in(db, select(Topic.id), {})
        return str(db.scalar(shown))

    try:
        with limited.session() as first, limited.session() as second:
            assert (limit(first), limit(second)) == ("5s", "500ms")
            second.commit()
            first.commit()
            assert limit(second) == "5s"
    finally:
        limited.dispose()


@on_sqlite
def test_reads_of_a_file_wait_as_long_as_writes_may(database: Database) -> None:
    patience = text("PRAGMA busy_timeout")
    with database.reads.connect() as reads, database.writes.connect() as writes:
        assert reads.scalar(patience) == 10_000
        assert writes.scalar(patience) == round(lock_waits.ATTEMPT_SECONDS * 1000)


@on_sqlite
def test_a_lock_that_is_not_free_in_time_is_an_error_of_the_driver(database_url: str) -> None:
    database = open_database(database_url, ConnectionOptions(timeouts=Timeouts(lock=0.3)))
    try:
        with closing(sqlite3.connect(str(database.url.database))) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(DBAPIError, match="database is locked"), database.session() as db:
                db.execute(text("SELECT 1"))
            other.rollback()
        with database.session() as db:
            assert db.scalar(text("SELECT 1")) == 1
    finally:
        database.dispose()
