"""Of those who wait for a lock a few wait long; the others learn soon that they cannot have it."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from forumsvc.models import Topic, lock_waits
from forumsvc.models.engine import Database
from forumsvc.models.libpq import Libpq
from forumsvc.models.lock_waits import SHORT_SECONDS, STUCK_SECONDS, LockWaits, _Ticket
from forumsvc.models.timeouts import Timeouts
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum
from tests.functional.threads import alone, statuses, together
from tests.system.process import wait_until

on_a_server = pytest.mark.parametrize(
    "database_url", ["postgresql"], indirect=True, scope="session"
)
on_a_file = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True, scope="session")


class Clock:
    """A clock that a test turns on."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        """Return the seconds."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(lock_waits, "time", made)
    return made


def test_the_first_wait_long_the_next_shortly_and_those_behind_stuck_ones_hardly(
    clock: Clock,
) -> None:
    waits = LockWaits(2)
    first, second, third = _Ticket(), _Ticket(), _Ticket()
    assert (waits.begin(first), waits.begin(second)) == (None, None)
    assert waits.begin(third) == SHORT_SECONDS
    clock.now += SHORT_SECONDS + 0.01
    assert waits.begin(_Ticket()) == STUCK_SECONDS
    waits.end(third)
    assert waits.are_stuck
    waits.end(second)
    assert not waits.are_stuck
    assert waits.begin(second) is None
    assert waits.begin(_Ticket()) == SHORT_SECONDS


def test_a_transaction_whose_connection_is_gone_waits_no_more() -> None:
    waits = LockWaits(1)
    ticket = _Ticket()
    assert waits.begin(ticket) is None
    del ticket
    assert waits.begin(_Ticket()) is None


def test_commands_all_wait_long() -> None:
    waits = LockWaits(None)
    tickets = [_Ticket() for _ in range(9)]
    assert [waits.begin(ticket) for ticket in tickets] == [None] * 9
    assert not waits.are_stuck


@contextmanager
def held(forum: Forum, topic: int) -> Iterator[None]:
    """Hold a topic's row, on SQLite the write lock, in a transaction of somebody else's."""
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


def test_who_waits_for_a_held_lock_is_told_to_come_back(make_forum: MakeForum) -> None:
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
        wait_until(lambda: waits.are_stuck or waits.stalled_seconds > SHORT_SECONDS, "all wait")
        others.append(forum.nobody.get("/topics"))
        others.append(reply(elsewhere)())

    with held(forum, topic):
        *answers, _ = together([*(reply(topic) for _ in range(8)), meanwhile])
    assert statuses(answers) == {503: 8}
    assert {answer.headers["Retry-After"] for answer in answers} == {"1"}
    assert all(set(answer.json) == {"error"} for answer in answers)
    listed, written = others
    assert listed.status_int == 200
    # SQLite has one lock for all that is written.
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

    answers = together([reply() for _ in range(16)])
    assert statuses([answer for some in answers for answer in some]) == {201: 64}
    assert forum.nobody.get(f"/topics/{topic}").json["replies_count"] == 64


@on_a_server
@pytest.mark.parametrize("way", ["gateway", "session"])
def test_a_short_wait_ends_with_its_transaction_and_not_later(
    database_url: str, database: Database, way: str
) -> None:
    limited = Database(database_url, timeouts=Timeouts(long_lock_waits=1))
    shown = text("SHOW lock_timeout")

    def limit(db: Any) -> str:
        if way == "gateway":
            limited.gateway.rows_in(db, select(Topic.id), {})
        return str(db.scalar(shown))

    try:
        with limited.session() as first, limited.session() as second:
            assert (limit(first), limit(second)) == ("10s", "500ms")
            second.commit()
            first.commit()
            assert limit(second) == "10s"
    finally:
        limited.dispose()


@on_a_server
def test_a_short_wait_costs_no_trip_to_the_database(
    make_forum: MakeForum, monkeypatch: pytest.MonkeyPatch
) -> None:
    forum = make_forum(database__long_lock_waits="1")
    alice = forum.person("alice")
    topic = forum.topic(alice, forum.node())
    trips: list[str] = []
    counted: list[int] = []
    for way in ("_send", "_send_together"):
        send = getattr(Libpq, way)

        def sent(self: Libpq, *rest: Any, _send: Any = send, _way: str = way) -> Any:
            trips.append(_way)
            return _send(self, *rest)

        monkeypatch.setattr(Libpq, way, sent)
    held_ticket = _Ticket()
    for is_short in (False, True):
        if is_short:
            assert forum.registry.database.lock_waits.begin(held_ticket) is None
        trips.clear()
        assert alice.post(f"/topics/{topic}/replies", body="B").status_int == 201
        counted.append(len(trips))
    assert counted[0] == counted[1]


@on_a_file
def test_a_lock_that_is_not_free_in_time_is_an_error_of_the_driver(database_url: str) -> None:
    database = Database(database_url, timeouts=Timeouts(lock=0.3))
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
