"""The view counts of topics."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import OperationalError

from forumsvc.db.engine import Database
from forumsvc.errors import IncompatibleDatabase
from forumsvc.models import Topic
from forumsvc.services.posts.view_counts import ViewCounter
from tests.databases import on_postgresql
from tests.functional.forum import Caller, Forum, Person
from tests.functional.threads import together

pytestmark = pytest.mark.both_databases


def hits(caller: Caller, topic: int) -> int:
    """Read a topic and return its hits, including this view."""
    return int(caller.get(f"/topics/{topic}").json["hits"])


def test_each_read_is_one_hit_before_while_and_after_hits_are_written(forum, alice, topic):
    for number, caller in enumerate((forum.nobody, alice, forum.nobody), start=1):
        assert hits(caller, topic) == number
        for _ in range(number - 1):
            forum.registry.view_counter.flush()


def test_hits_are_written_once_though_many_write_at_once(forum, topic):
    for _ in range(5):
        hits(forum.nobody, topic)
    together([forum.registry.view_counter.flush] * 8)
    assert hits(forum.nobody, topic) == 6


def test_nothing_but_reading_the_topic_is_a_hit(alice, topic):
    node = alice.get("/topics").json[0]["node_id"]
    alice.get(f"/topics/{topic}/replies")
    alice.call("HEAD", f"/topics/{topic}")
    alice.put(f"/topics/{topic}", title="T", node_id=node, body="New")
    alice.post(f"/topics/{topic}/replies", body="B")
    alice.get("/users/alice/topics")
    assert hits(alice, topic) == 1


def test_a_read_that_is_refused_is_no_hit(forum, alice, topic):
    chief = forum.person("chief", role="admin")
    chief.post(f"/topics/{topic}/action?type=ban")
    assert forum.nobody.get(f"/topics/{topic}").status_int == 404
    assert forum.caller("wrong").get(f"/topics/{topic}").status_int == 401
    assert hits(alice, topic) == 1


def test_writing_hits_changes_nothing_else_of_a_topic(forum, alice, topic):
    newer = forum.topic(alice, forum.node("Other"))
    listed = alice.get("/topics").json
    hits(alice, topic)
    forum.registry.view_counter.flush()
    assert alice.get("/topics").json == listed
    assert [one["id"] for one in listed] == [newer, topic]


def stored(forum: Forum, *topics: int) -> list[int]:
    with forum.database.reads.connect() as db:
        return [db.scalars(select(Topic.hits).where(Topic.id == one)).one() for one in topics]


@contextmanager
def on(engine: Any, name: str, listener: Callable[..., None]) -> Iterator[None]:
    event.listen(engine, name, listener)
    try:
        yield
    finally:
        event.remove(engine, name, listener)


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("UPDATE topics\nSET hits", {}, Exception("disk\nfull")),
        IncompatibleDatabase("The time zone\nof the session must be UTC."),
    ],
)
def test_hits_that_the_database_does_not_take_are_written_by_the_next_write(
    error, forum, topic, caplog
):
    # What other tests have left would be counted, too.
    forum.registry.view_counter.flush()
    hits(forum.nobody, topic)
    for other in range(topic + 1, topic + 250):
        forum.registry.view_counter.count(other)
    updates: list[str] = []

    def fail_second(conn: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.startswith("UPDATE topics"):
            updates.append(statement)
            if len(updates) == 2:
                raise error

    with on(forum.registry.database.writes, "before_cursor_execute", fail_second):
        forum.registry.view_counter.flush()
    assert stored(forum, topic) == [1]
    assert forum.registry.view_counter.pending == 150
    [warning] = [one for one in caplog.messages if "written later" in one]
    assert warning.startswith("the views of 150 topics")
    assert len(warning.splitlines()) == 1
    forum.registry.view_counter.flush()
    assert forum.registry.view_counter.pending == 0
    assert stored(forum, topic) == [1]


@on_postgresql
def test_writing_hits_does_not_wait_for_a_slow_writer_of_one_topic(
    forum, alice, topic, database, caplog
):
    node = forum.node("Other")
    slow = forum.topic(alice, node)
    topics = (topic, slow)
    # The application may have counted views of topics of the tests before.
    forum.registry.view_counter.flush()
    for one in topics:
        hits(forum.nobody, one)
    # A chunk before that of the slow topic, and one behind it.
    for other in (*range(-150, -1), *range(slow + 1, slow + 150)):
        forum.registry.view_counter.count(other)
    caplog.set_level(logging.WARNING)
    writing = threading.Thread(target=forum.registry.view_counter.flush, daemon=True)
    with database.writes.connect() as other_writer:
        other_writer.execute(select(Topic.id).where(Topic.id == slow).with_for_update())
        writing.start()
        writing.join(30)
        ended = not writing.is_alive()
        other_writer.rollback()
    writing.join(30)
    assert ended
    assert forum.registry.view_counter.pending == 100
    assert [one for one in caplog.messages if "views of 100 topics" in one]
    assert forum.reply(alice, topic) > 0
    forum.registry.view_counter.flush()
    assert stored(forum, *topics) == [1, 1]
    assert forum.registry.view_counter.pending == 0


@pytest.fixture
def other(forum: Forum, alice: Person) -> int:
    return forum.topic(alice, forum.node("Other"))


@pytest.fixture
def slow_writer(database: Database, topic: int, other: int) -> Iterator[Any]:
    """Another transaction, which has locked the topic."""
    with database.writes.connect() as transaction:
        transaction.execute(select(Topic.id).where(Topic.id == topic).with_for_update())
        yield transaction


@contextmanager
def on_second_update_of(forum: Forum, topic: int, act: Callable[[], object]) -> Iterator[None]:
    """Run a function before a topic's views are written on their own for the second time."""
    alone: list[None] = []

    def note(conn: Any, cursor: Any, statement: str, values: Any, *rest: Any) -> None:
        sent = values if isinstance(values, list) else [values]
        if statement.startswith("UPDATE topics") and [one["topic"] for one in sent] == [topic]:
            alone.append(None)
            if len(alone) == 2:
                act()

    with on(forum.database.writes, "before_cursor_execute", note):
        yield


@on_postgresql
def test_the_end_tries_again_to_write_reads_of_a_topic_that_is_locked(
    forum, topic, other, slow_writer, caplog
):
    counter = ViewCounter(forum.database, 3600)
    for one in (topic, topic, other):
        counter.count(one)
    caplog.set_level(logging.INFO, "forumsvc")
    with on_second_update_of(forum, topic, slow_writer.rollback):
        counter.close()
    assert "Wrote 3 view counts at shutdown" in caplog.messages
    assert stored(forum, topic, other) == [2, 1]


@on_postgresql
def test_the_end_loses_reads_of_topics_that_stay_locked_alone_and_says_how_many(
    forum, topic, other, slow_writer, monkeypatch, caplog
):
    counter = ViewCounter(forum.database, 3600)
    for one in (topic, topic, other):
        counter.count(one)
    now = [0.0]
    monkeypatch.setattr("forumsvc.services.posts.view_counts.monotonic", lambda: now[0])
    with on_second_update_of(forum, topic, lambda: now.append(now.pop() + 3600)):
        counter.close()
    [warning] = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert warning.getMessage().startswith("Wrote 1 view counts at shutdown, lost 2: ")
    assert "lock timeout" in warning.getMessage()
    assert len(warning.getMessage().splitlines()) == 1
    assert stored(forum, topic, other) == [0, 1]


def test_the_end_says_how_many_reads_the_database_did_not_take(forum, topic, caplog):
    counter = ViewCounter(forum.database, 3600)
    for _ in range(3):
        counter.count(topic)

    def fail(conn: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.startswith("UPDATE topics"):
            raise OperationalError("UPDATE topics\nSET hits", {}, Exception("disk\nfull"))

    with on(forum.database.writes, "before_cursor_execute", fail):
        counter.close()
    [warning] = [one for one in caplog.messages if ", lost" in one]
    assert warning.startswith("Wrote 0 view counts at shutdown, lost 3: (builtins.Exception)")
    assert "disk full" in warning
