"""Queued statements are executed with the next one: in order and in their transaction, or never."""

import gc
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import (
    Integer,
    String,
    Update,
    bindparam,
    cast,
    func,
    insert,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError
from sqlalchemy.orm import Session

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.db.executor import EXECUTOR
from forumsvc.db.pipeline_connection import PipelineConnection
from forumsvc.db.statements import execute, update_of
from forumsvc.models import Node, Topic, User
from tests.databases import on_postgresql
from tests.functional.forum import Forum, Person

pytestmark = pytest.mark.pipeline


_NAME = select(Node.name).where(Node.id == bindparam("node", type_=Integer))


def renaming() -> Update:
    """Return the statement that renames a node."""
    is_meant = Node.id == bindparam("node", type_=Integer)
    return update_of(Node).where(is_meant).values(name=bindparam("new", type_=String))


_RENAMED = renaming()
_RENAMED_RETURNING = renaming().returning(Node.id, Node.name)
_NEW_USER = insert(User).values(
    {name: bindparam(name) for name in ("login", "login_key", "created_at", "updated_at")}
)
_NUMBER = select(cast(bindparam("word", type_=String), Integer).label("number"))


@pytest.fixture
def node(forum: Forum) -> int:
    return forum.node("Old")


@pytest.fixture
def db(forum: Forum) -> Iterator[Session]:
    with forum.database.session() as db:
        yield db


def name_of(database: Database, node: int) -> Any:
    """Return the committed name of a node."""
    return database.executor.rows(_NAME, {"node": node})[0].name


def new_user(login: str) -> dict[str, Any]:
    """Return the values of a new user."""
    now = clock.now()
    return {"login": login, "login_key": login, "created_at": now, "updated_at": now}


def flushing_calls(forum: Forum, node: int) -> dict[str, Callable[[Session], object]]:
    """Return the calls of a session that flush the queue."""
    return {
        "executor": lambda db: forum.database.executor.rows_in(db, _NAME, {"node": node}),
        "session": lambda db: db.scalar(_NAME, {"node": node}),
        "commit": Session.commit,
    }


def refused(db: Session, node: int) -> None:
    """Change a node before and after a statement that fails."""
    execute(db, _RENAMED, {"node": node, "new": "New"})
    execute(db, _NEW_USER, new_user("alice"))
    execute(db, _RENAMED, {"node": node, "new": "Newer"})
    db.commit()


def test_the_next_read_sees_a_queued_change(forum: Forum, db: Session, node: int) -> None:
    for number in range(4):
        execute(db, _RENAMED, {"node": node, "new": f"New {number}"})
        assert forum.database.executor.rows_in(db, _NAME, {"node": node}) == [(f"New {number}",)]
        execute(db, _RENAMED, {"node": node, "new": f"Newer {number}"})
        assert db.scalar(_NAME, {"node": node}) == f"Newer {number}"


def test_a_submitted_statement_is_executed_when_its_rows_are_needed(
    forum: Forum, db: Session, node: int
) -> None:
    executor = forum.database.executor
    for number in range(4):
        before = executor.submit_in(db, _NAME, {"node": node})
        execute(db, _RENAMED, {"node": node, "new": f"New {number}"})
        after = executor.submit_in(db, _NAME, {"node": node})
        assert after() == [(f"New {number}",)]
        assert before() == [(f"New {number - 1}" if number else "Old",)]
        assert after() == [(f"New {number}",)]


@pytest.mark.parametrize("call", ["executor", "session", "commit"])
def test_a_submitted_statement_is_executed_with_the_next_one(
    forum: Forum, db: Session, node: int, call: str
) -> None:
    first, second = forum.node("First"), forum.node("Second")
    executor = forum.database.executor
    for _ in range(3):
        future = [executor.submit_in(db, _NAME, {"node": each}) for each in (first, second)]
        flushing_calls(forum, node)[call](db)
        assert [each() for each in future] == [[("First",)], [("Second",)]]


def test_dml_with_returning_can_be_submitted(forum: Forum, db: Session, node: int) -> None:
    values = [{"node": node, "new": new} for new in ("A", "B")]
    future = [forum.database.executor.submit_in(db, _RENAMED_RETURNING, each) for each in values]
    db.commit()
    assert [each() for each in future] == [[(node, "A")], [(node, "B")]]
    assert name_of(forum.database, node) == "B"


def test_submitted_dml_is_executed_though_its_rows_are_not_needed(
    forum: Forum, db: Session, node: int
) -> None:
    for number in range(3):
        values = {"node": node, "new": f"New {number}"}
        forum.database.executor.submit_in(db, _RENAMED_RETURNING, values)
        db.commit()
        assert name_of(forum.database, node) == f"New {number}"


@on_postgresql
def test_a_submitted_statement_that_is_rolled_back_has_no_rows(
    forum: Forum, db: Session, node: int
) -> None:
    executor = forum.database.executor
    for _ in range(3):
        future = executor.submit_in(db, _NAME, {"node": node})
        db.rollback()
        # The same connection: its queue must not be flushed for the first future.
        execute(db, _RENAMED, {"node": node, "new": "New"})
        with pytest.raises(LookupError):
            future()
        db.rollback()
        assert name_of(forum.database, node) == "Old"


def test_a_rollback_on_a_shared_connection_discards_the_queue(forum: Forum, node: int) -> None:
    info = {EXECUTOR: forum.database.executor}
    with (
        forum.database.writes.connect() as connection,
        Session(connection, info=info, join_transaction_mode="control_fully") as db,
    ):
        execute(db, _RENAMED, {"node": node, "new": "New"})
        db.rollback()
        assert db.scalar(_NAME, {"node": node}) == "Old"
        db.commit()


@on_postgresql
def test_submitted_statements_around_an_error_have_no_rows(
    forum: Forum, db: Session, node: int
) -> None:
    executor = forum.database.executor
    for _ in range(3):
        before = executor.submit_in(db, _NAME, {"node": node})
        wrong = executor.submit_in(db, _NUMBER, {"word": "ten"})
        after = executor.submit_in(db, _NAME, {"node": node})
        with pytest.raises(DataError):
            wrong()
        for future in (before, wrong, after):
            with pytest.raises(LookupError):
                future()
        db.rollback()


def test_queued_statements_are_executed_in_order(db: Session, node: int) -> None:
    for _ in range(3):
        execute(db, _RENAMED, {"node": node, "new": "First"})
        db.execute(update_of(Node).where(Node.id == node).values(name=Node.name + " and second"))
        execute(db, _RENAMED, {"node": node, "new": "Third"})
        execute(db, _RENAMED, {"node": node, "new": "Last"})
        assert db.scalar(_NAME, {"node": node}) == "Last"


def test_the_last_queued_statement_is_committed(forum: Forum, db: Session, node: int) -> None:
    for number in range(3):
        execute(db, _RENAMED, {"node": node, "new": f"New {number}"})
        db.commit()
        assert name_of(forum.database, node) == f"New {number}"


def test_a_rollback_discards_the_queue(forum: Forum, db: Session, node: int) -> None:
    for _ in range(3):
        execute(db, _RENAMED, {"node": node, "new": "New"})
        db.rollback()
        assert name_of(forum.database, node) == "Old"
        db.commit()
        assert name_of(forum.database, node) == "Old"


def test_closing_a_session_discards_the_queue(forum: Forum, node: int) -> None:
    for _ in range(3):
        with forum.database.session() as db:
            execute(db, _RENAMED, {"node": node, "new": "New"})
        with forum.database.session() as db:
            assert db.scalar(_NAME, {"node": node}) == "Old"
            db.commit()
    assert name_of(forum.database, node) == "Old"


def test_an_error_rolls_back_the_transaction(forum: Forum, db: Session, node: int) -> None:
    forum.person("alice")
    for _ in range(3):
        with pytest.raises(IntegrityError):
            refused(db, node)
        db.rollback()
        assert name_of(forum.database, node) == "Old"
    execute(db, _NEW_USER, new_user("bob"))
    db.commit()
    assert forum.database.executor.rows(select(User.id).where(User.login == "bob"), {})


@on_postgresql
@pytest.mark.parametrize("by", ["executor", "session", "commit"])
def test_the_error_of_a_queued_statement_is_raised_by_the_next_one(
    forum: Forum, node: int, by: str
) -> None:
    forum.person("alice")
    calls = flushing_calls(forum, node)
    with forum.database.session() as db:
        execute(db, _NEW_USER, new_user("alice"))
        with pytest.raises(IntegrityError) as raised:
            calls[by](db)
    assert not raised.value.connection_invalidated


@on_postgresql
def test_a_statement_after_an_error_can_be_executed_again(
    forum: Forum, db: Session, node: int
) -> None:
    executor = forum.database.executor
    for word in ("1", "five", "5"):
        execute(db, _RENAMED, {"node": node, "new": word})
        if word == "five":
            with pytest.raises(DataError):
                executor.rows_in(db, _NUMBER, {"word": word})
        else:
            assert executor.rows_in(db, _NUMBER, {"word": word}) == [(int(word),)]
        db.rollback()
        # Now the SELECT, which is to be prepared this time, comes after the failing statement.
        execute(db, _NEW_USER, new_user("carol"))
        execute(db, _NEW_USER, new_user("carol"))
        with pytest.raises(IntegrityError):
            executor.rows_in(db, _NAME, {"node": node})
        db.rollback()
    assert executor.rows_in(db, _NAME, {"node": node}) == [("Old",)]


@on_postgresql
def test_a_text_larger_than_the_socket_buffers_arrives(forum: Forum, db: Session) -> None:
    topic = forum.topic(forum.person("alice"), forum.node())
    long = "x" * 30_000_000
    written = update_of(Topic).where(Topic.id == topic).values(body=bindparam("new"))
    length = select(func.length(Topic.body).label("length")).where(Topic.id == topic)
    for _ in range(3):
        execute(db, written, {"new": long})
        execute(db, written, {"new": long + "y"})
        assert forum.database.executor.rows_in(db, length, {}) == [(len(long) + 1,)]
    db.rollback()


@on_postgresql
@pytest.mark.parametrize("first", [True, False])
def test_a_lost_connection_discards_the_queue(forum: Forum, node: int, first: bool) -> None:
    database = forum.database
    plain = make_url(database.url).set(drivername="postgresql")
    pid = select(func.pg_backend_pid().label("pid"))
    with database.session() as db:
        [(its_pid,)] = database.executor.rows_in(db, pid, {})
        if first:
            db.rollback()
        execute(db, _RENAMED, {"node": node, "new": "New"})
        with psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True) as own:
            own.execute("SELECT pg_terminate_backend(%s, 60000)", [its_pid])
        with pytest.raises(OperationalError) as raised:
            db.commit()
        assert raised.value.connection_invalidated
    assert name_of(database, node) == "Old"
    with database.session.begin() as db:
        execute(db, _RENAMED, {"node": node, "new": "New"})
    assert name_of(database, node) == "New"


@on_postgresql
def test_an_unclosed_session_discards_its_queue(forum: Forum, node: int) -> None:
    for _ in range(3):
        left = forum.database.session()
        execute(left, _RENAMED, {"node": node, "new": "New"})
        del left
        gc.collect()
        with forum.database.session.begin() as db:
            db.execute(text("SELECT 1"))
        assert name_of(forum.database, node) == "Old"


@on_postgresql
@pytest.mark.parametrize("by", ["executor", "session", "commit"])
def test_an_interruption_is_raised_and_leaves_no_broken_connection(
    forum: Forum, node: int, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    calls = flushing_calls(forum, node)
    with monkeypatch.context() as patch, forum.database.session() as db:
        execute(db, _RENAMED, {"node": node, "new": "New"})
        patch.setattr(PipelineConnection, "_send", interrupted)
        with pytest.raises(KeyboardInterrupt):
            calls[by](db)
    assert name_of(forum.database, node) == "Old"
    with forum.database.session.begin() as db:
        execute(db, _RENAMED, {"node": node, "new": "Next"})
    assert name_of(forum.database, node) == "Next"


@on_postgresql
def test_a_connection_lost_after_an_error_does_not_hide_the_error(
    forum: Forum, node: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    forum.person("alice")
    send = PipelineConnection._execute_pending

    def send_and_break(self: PipelineConnection) -> Any:
        try:
            return send(self)
        finally:
            with socket.socket(fileno=os.dup(self._pgconn.socket)) as connected:
                connected.shutdown(socket.SHUT_RDWR)

    with monkeypatch.context() as patch, forum.database.session() as db:
        execute(db, _NEW_USER, new_user("alice"))
        patch.setattr(PipelineConnection, "_execute_pending", send_and_break)
        with pytest.raises(IntegrityError):
            db.commit()
    with forum.database.session.begin() as db:
        execute(db, _RENAMED, {"node": node, "new": "Next"})
    assert name_of(forum.database, node) == "Next"


@on_postgresql
def test_a_statement_that_fails_repeatedly_is_prepared_once(forum: Forum, db: Session) -> None:
    forum.person("alice")
    prepared = text("SELECT statement FROM pg_prepared_statements WHERE statement LIKE 'INSERT%'")
    for _ in range(5):
        execute(db, _NEW_USER, new_user("alice"))
        with pytest.raises(IntegrityError):
            db.commit()
        db.rollback()
    assert len(db.scalars(prepared).all()) == 1


@on_postgresql
def test_a_lock_timeout_rolls_back_the_transaction(forum: Forum, node: int) -> None:
    other = forum.node("Other")
    with forum.database.session() as one, forum.database.session() as two:
        for db in (one, two):
            db.execute(text("SET LOCAL lock_timeout = '50ms'"))
        execute(one, _RENAMED, {"node": node, "new": "A"})
        one.execute(text("SELECT 1"))
        execute(two, _RENAMED, {"node": other, "new": "B"})
        execute(two, _RENAMED, {"node": node, "new": "B"})
        with pytest.raises(DBAPIError) as raised:
            two.commit()
        assert getattr(raised.value.orig, "sqlstate", "") == "55P03"
        two.rollback()
        one.commit()
    assert [name_of(forum.database, each) for each in (node, other)] == ["A", "Other"]


@on_postgresql
def test_a_reply_takes_the_stated_round_trips(
    forum: Forum, bob: Person, topic: int, trips: list[str]
) -> None:
    trips.clear()
    body = {"body": "Well said, @alice"}
    answer = forum.caller(bob.token).call("POST", f"/topics/{topic}/replies", body)
    assert answer.status_int == 201
    # The token; the topic's state; the mentioned users and the topic; the reply and its recipients;
    # the notifications, the cache version and COMMIT.
    assert trips == ["_execute_now", "_execute_now", *["_execute_pending"] * 3]
