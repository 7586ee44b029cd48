"""The executor's statements in a session's transaction: they end with it, whatever ends it."""

from typing import Any

import pytest
from sqlalchemy import Integer, String, bindparam, func, insert, select
from sqlalchemy.exc import IntegrityError, OperationalError

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.db.statements import execute, update_of
from forumsvc.models import Node, User
from tests.databases import on_postgresql
from tests.functional.forum import Forum
from tests.functional.test_executor import cut, terminate

_NAME = select(Node.name).where(Node.id == bindparam("node", type_=Integer))
_RENAMED = (
    update_of(Node)
    .where(Node.id == bindparam("node", type_=Integer))
    .values(name=bindparam("new", type_=String))
)
_NEW_USER = insert(User).values(
    {name: bindparam(name) for name in ("login", "login_key", "created_at", "updated_at")}
)


@pytest.fixture
def node(forum: Forum) -> int:
    return forum.node("Old")


def name_of(database: Database, node: int) -> Any:
    return database.executor.rows(_NAME, {"node": node})[0].name


def test_an_error_rolls_back_the_transaction(forum, node):
    forum.person("alice")
    now = clock.now()
    alice = {"login": "alice", "login_key": "alice", "created_at": now, "updated_at": now}
    with forum.database.session() as db:
        for _ in range(3):
            execute(db, _RENAMED, {"node": node, "new": "New"})
            with pytest.raises(IntegrityError) as raised:
                execute(db, _NEW_USER, alice)
            assert not raised.value.connection_invalidated
            db.rollback()
            assert name_of(forum.database, node) == "Old"
        execute(db, _RENAMED, {"node": node, "new": "New"})
        db.commit()
    assert name_of(forum.database, node) == "New"


def test_closing_a_session_rolls_back(forum, node):
    for _ in range(3):
        with forum.database.session() as db:
            execute(db, _RENAMED, {"node": node, "new": "New"})
        with forum.database.session() as db:
            assert db.scalar(_NAME, {"node": node}) == "Old"
            db.commit()


@on_postgresql
def test_a_lost_connection_is_replaced_for_the_next_transaction(forum, node):
    database = forum.database
    pid = select(func.pg_backend_pid().label("pid"))
    with database.session() as db:
        [(its_pid,)] = database.executor.rows_in(db, pid, {})
        execute(db, _RENAMED, {"node": node, "new": "Lost"})
        terminate(database, its_pid)
        with pytest.raises(OperationalError) as raised:
            execute(db, _RENAMED, {"node": node, "new": "Lost"})
        assert raised.value.connection_invalidated
    assert name_of(database, node) == "Old"
    with database.session.begin() as db:
        execute(db, _RENAMED, {"node": node, "new": "New"})
    assert name_of(database, node) == "New"


@on_postgresql
def test_a_request_is_tried_again_where_the_connection_takes_no_statement(forum):
    alice, node = forum.person("alice"), forum.node()
    topic = forum.topic(alice, node)
    pool: Any = forum.registry.database.writes.pool
    pooled = [record.dbapi_connection for record in pool._pool.queue if record.dbapi_connection]
    assert pooled
    for connection in pooled:
        cut(connection)
    assert alice.post(f"/topics/{topic}/replies", body="Hi").status_int == 201
