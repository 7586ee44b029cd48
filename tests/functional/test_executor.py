"""The executor: it returns the rows that SQLAlchemy returns, and replaces lost connections."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy import (
    BindParameter,
    Integer,
    bindparam,
    cast,
    event,
    func,
    insert,
    literal,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from forumsvc import clock
from forumsvc.cache import versions
from forumsvc.db import libpq_statements
from forumsvc.db.engine import Database
from forumsvc.db.executor import Executor
from forumsvc.db.keyset_paging import PageRequest
from forumsvc.db.statements import execute, update_of
from forumsvc.models import Node, Topic, User
from forumsvc.queries import topic_lists, topics
from forumsvc.queries.topic_lists import TopicOrder
from forumsvc.text.ids import MAX_ID
from tests.cases import each
from tests.databases import on_postgresql
from tests.functional.test_query_budgets import OWN_READS, READS, fill
from tests.functional.threads import together

Seen = list[tuple[Any, dict[str, Any]]]


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Seen]:
    """Record every statement of any executor, with its values."""
    seen: Seen = []
    original = Executor.rows

    def rows(self: Executor, statement: Any, values: Any) -> Any:
        seen.append((statement, dict(values)))
        return original(self, statement, values)

    with monkeypatch.context() as patch:
        patch.setattr(Executor, "rows", rows)
        yield seen


def assert_same(database: Database, statement: Any, values: dict[str, Any]) -> int:
    """Compare names, values and types with what a Connection returns; return how many rows."""
    with database.reads.connect() as connection:
        expected = connection.execute(statement, values).all()
    found = database.executor.rows(statement, values)
    if "ORDER BY" not in str(statement):
        # PostgreSQL may return them in another order each time.
        expected, found = (sorted(rows, key=repr) for rows in (expected, found))
    assert [list(row) for row in found] == [list(row) for row in expected], (str(statement), values)
    for row, other in zip(found, expected, strict=True):
        assert row._fields == other._fields
        assert [type(value) for value in row] == [type(value) for value in other]
    return len(found)


def test_every_read_of_the_api_returns_what_sqlalchemy_returns(forum, make_forum, monkeypatch):
    scene = fill(forum, 3)
    keyed = make_forum(api__envelope="keyed")
    with watched(monkeypatch) as seen:
        for one in (forum, keyed):
            for caller in (one.nobody, one.caller(scene.author.token)):
                for path in (*READS, *(OWN_READS if caller.token else ())):
                    assert caller.get(scene.path(path)).status_int == 200, path
            assert one.nobody.get(f"/topics?node_id={MAX_ID}").status_int == 404
    statements = {id(statement) for statement, _ in seen}
    assert len(statements) >= 30
    assert sum(assert_same(forum.database, *each) for each in seen) > len(seen)


def test_lists_of_any_length_are_rendered(forum):
    fill(forum, 5)
    first = min(topic["id"] for topic in forum.nobody.get("/topics").json)
    for step in (1, 7, 2, 3):
        ids = [*range(first, first + 1000, step)]
        assert assert_same(forum.database, topics._BY_IDS, {"ids": ids})


def test_the_number_of_rendered_texts_is_bounded(database, monkeypatch):
    executor = Executor(database.reads)
    with watched(monkeypatch) as seen:
        for offset in range(300):
            topic_lists.forum_list(
                executor, TopicOrder.RECENT, PageRequest(offset), node_id=None, viewer_id=None
            )
    (statement,) = {statement for statement, _ in seen}
    assert 0 < len(executor._compiled(statement)._rendered) <= 128
    for number in range(600):
        assert executor.rows(select(literal(number).label("number")), {}) == [(number,)]
    assert executor._compiled.cache_info().currsize <= 512
    executor.close()


@pytest.mark.parametrize(
    "statement", ["DELETE FROM users", "UPDATE users SET name = ''", "CREATE TABLE x (y INTEGER)"]
)
def test_the_database_itself_refuses_writes(database, statement):
    database.executor.rows(select(User.id), {})
    with pytest.raises(database.reads.dialect.loaded_dbapi.Error, match=r"read-?only"):
        database.executor._execute(statement, ())


def test_a_read_sees_what_others_committed(forum):
    fill(forum, 150)
    statement = select(func.count(User.id).label("users"))
    for number in range(20):
        # The rows of a long result are read to the end, or SQLite would keep the snapshot open.
        assert topic_lists.forum_list(
            forum.database.executor,
            TopicOrder.RECENT,
            PageRequest(0, 149),
            node_id=None,
            viewer_id=None,
        ).rows
        forum.person(f"new{number}")
        assert forum.database.executor.rows(statement, {}) == [(152 + number,)]


def test_an_error_is_a_dbapierror_without_parameters(database):
    value: BindParameter[str] = bindparam("value")
    wrong = select((cast(1, Integer) / func.nothing_of_this_name(value)).label("x"))
    with pytest.raises((OperationalError, ProgrammingError)) as raised:
        database.executor.rows(wrong, {"value": "a secret"})
    assert isinstance(raised.value, DBAPIError)
    assert not raised.value.connection_invalidated
    assert "a secret" not in str(raised.value)
    assert "nothing_of_this_name" in str(raised.value)
    # The connection can still be used.
    assert versions.load_lists_and_access_versions(database.executor) == (0, 0)


@pytest.fixture
def opened_ones(database: Database) -> Iterator[list[Any]]:
    """The driver's connections that are opened for reads during the test."""
    opened: list[Any] = []

    def note(connection: Any, record: Any) -> None:
        opened.append(connection)

    # Otherwise an idle connection of the pool would be used first.
    database.reads.dispose()
    event.listen(database.reads, "connect", note)
    yield opened
    event.remove(database.reads, "connect", note)


def is_closed(connection: Any) -> bool:
    if isinstance(connection, psycopg.Connection):
        return connection.closed
    try:
        connection.execute("SELECT 1")
    except Exception as error:
        return "closed" in str(error)
    return False


def test_a_thread_has_its_own_connection_as_long_as_it_lives(database, opened_ones):
    executor = Executor(database.reads)

    def read() -> None:
        for _ in range(3):
            versions.load_lists_and_access_versions(executor)
        assert not is_closed(opened_ones[-1])

    for number in range(1, 4):
        together([read])
        assert len(opened_ones) == number
        assert is_closed(opened_ones[-1])
    read()
    executor.close()
    assert [is_closed(each) for each in opened_ones] == [True] * 4


def test_closing_closes_the_connections_of_other_threads_which_can_go_on(database, opened_ones):
    executor = Executor(database.reads)
    turn = threading.Barrier(2)

    def read() -> None:
        versions.load_lists_and_access_versions(executor)
        turn.wait()
        turn.wait()
        versions.load_lists_and_access_versions(executor)

    thread = threading.Thread(target=read)
    thread.start()
    turn.wait()
    executor.close()
    assert is_closed(opened_ones[0])
    turn.wait()
    thread.join()
    assert len(opened_ones) == 2
    executor.close()


def test_a_forked_process_leaves_its_parents_connection_alone(database):
    assert versions.load_lists_and_access_versions(database.executor) == (0, 0)
    before = database.executor._local.connection.driver
    pid = os.fork()
    if pid == 0:
        try:
            database.reset_after_fork()
            same = versions.load_lists_and_access_versions(database.executor) == (0, 0)
            other = database.executor._local.connection.driver is not before
            os._exit(0 if same and other and not is_closed(before) else 1)
        finally:
            os._exit(2)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert versions.load_lists_and_access_versions(database.executor) == (0, 0)
    assert database.executor._local.connection.driver is before


def terminate(database: Database, pid: int) -> None:
    """Terminate a session, as a restart of the server does."""
    plain = make_url(database.url).set(drivername="postgresql")
    with psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True) as own:
        assert own.execute("SELECT pg_terminate_backend(%s, 60000)", [pid]).fetchone() == (True,)


def cut(driver: Any) -> None:
    """Lose a connection as by a Unix socket whose server has crashed, which says so before."""
    own, other = socket.socketpair()
    with own, other:
        os.dup2(own.fileno(), driver.pgconn.socket)
        fields = b"SWARNING\0C57P02\0Mterminating connection because of a crash\0\0"
        other.sendall(b"N" + (len(fields) + 4).to_bytes(4, "big") + fields)


_PID = select(func.pg_backend_pid().label("pid"))
_CUT = select(func.pg_terminate_backend(bindparam("pid", type_=Integer)).label("was_there"))
_CUT_ITSELF = select(func.pg_terminate_backend(func.pg_backend_pid()).label("done"))


def between_reads(database: Database, pid: int) -> None:
    terminate(database, pid)


def during_a_read(database: Database, pid: int) -> None:
    assert database.executor.rows(_CUT, {"pid": pid})[0].was_there is False


def without_taking_statements(database: Database, pid: int) -> None:
    cut(database.executor._local.connection.driver)


@on_postgresql
@each("lose", [between_reads, during_a_read, without_taking_statements])
def test_a_lost_connection_is_replaced(database, lose):
    pid = database.executor.rows(_PID, {})[0].pid
    lose(database, pid)
    assert database.executor.rows(_PID, {})[0].pid != pid


@on_postgresql
def test_a_lost_connection_disposes_the_pool(database):
    executor = database.executor
    idle = [database.reads.connect() for _ in range(3)]
    pids = [connection.execute(_PID).scalar_one() for connection in idle]
    pids.append(executor.rows(_PID, {})[0].pid)
    for connection in idle:
        connection.close()
    for pid in pids:
        terminate(database, pid)
    assert versions.load_lists_and_access_versions(executor) == (0, 0)


@on_postgresql
def test_a_second_disconnect_is_raised(database):
    executor = database.executor
    with pytest.raises(OperationalError) as raised:
        executor.rows(_CUT_ITSELF, {})
    assert raised.value.connection_invalidated
    assert versions.load_lists_and_access_versions(executor) == (0, 0)


@on_postgresql
def test_a_statement_is_planned_once_whatever_its_values(forum):
    executor, named = (
        forum.database.executor,
        select(User.id).where(User.login_key == bindparam("key")),
    )
    plans = text("SELECT sum(generic_plans), sum(custom_plans) FROM pg_prepared_statements")
    with forum.database.session() as db:
        for number in range(8):
            assert executor.rows_in(db, named, {"key": f"nobody{number}"}) == []
        generic, custom = db.execute(plans).one()
    assert generic >= 7
    assert custom == 0


@on_postgresql
def test_more_statements_than_the_prepared_ones_are_executed(forum):
    executor = forum.database.executor
    many = select(literal(1).label("one")).limit(
        bindparam("limit", type_=Integer, literal_execute=True)
    )
    for _ in range(2):
        for limit in range(1, libpq_statements.MAX_STATEMENTS + 50):
            assert executor.rows(many, {"limit": limit}) == [(1,)]
            assert executor.rows(many, {"limit": limit}) == [(1,)]


def test_dml_by_the_executor_sets_column_defaults(forum):
    now, alice = clock.now(), forum.person("alice")
    given = {"name": "Off topic", "created_at": now, "updated_at": now}
    names: dict[str, Any] = {name: bindparam(name) for name in given}
    topic = forum.topic(alice, forum.node())
    renamed = update_of(Topic).where(Topic.id == topic).values(title=bindparam("new"))
    version = select(Topic.version).where(Topic.id == topic)
    with forum.database.session.begin() as db:
        [(node,)] = execute(db, insert(Node).values(names).returning(Node.id), given)
        assert db.scalar(select(Node.topics_count).where(Node.id == node)) == 0
        before = db.scalar(version)
        assert execute(db, renamed, {"new": "Renamed"}) == []
        assert db.scalar(version) != before
