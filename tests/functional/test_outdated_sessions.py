"""Sessions that do not fit their database any more are dropped, and the request is retried."""

import random
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from sqlalchemy import BigInteger, bindparam, select, text

from forumsvc.db import executor
from forumsvc.db.engine import Database
from forumsvc.db.statements import execute
from forumsvc.models import User
from tests.databases import on_postgresql
from tests.functional.forum import Forum
from tests.functional.test_connect import defaults
from tests.functional.test_executor_transactions import _RENAMED

pytestmark = on_postgresql
"""SQLite has no prepared statements."""

_NAMES = select(User.name).where(User.id == bindparam("user", type_=BigInteger))


def alter(forum: Forum) -> None:
    """Change the type of a column that is read, as a migration does."""
    length = random.randrange(1000, 10**6)  # noqa: S311  # not the one that it has
    with forum.database.writes.begin() as db:
        db.execute(text(f"ALTER TABLE users ALTER COLUMN name TYPE varchar({length})"))


def restore(forum: Forum) -> None:
    with forum.database.writes.begin() as db:
        db.execute(text(f"ALTER TABLE users ALTER COLUMN name TYPE {User.__table__.c.name.type}"))


def deallocate(connection: psycopg.Connection[Any]) -> None:
    """Deallocate all prepared statements of a connection, as a pooler's DISCARD ALL does."""
    connection.pgconn.exec_(b"DEALLOCATE ALL")


def pooled_connections(database: Database) -> list[psycopg.Connection[Any]]:
    """Return the connections in the pool of writes on which the executor has run statements."""
    pool: Any = database.writes.pool
    records = list(pool._pool.queue)
    return [record.dbapi_connection for record in records if executor._EXECUTE in record.info]


def read_until_prepared(database: Database, user: int) -> None:
    """Execute a SELECT often enough for it to be prepared."""
    for _ in range(3):
        assert len(database.executor.rows(_NAMES, {"user": user})) == 1


def test_a_read_goes_on_after_its_statements_were_deallocated(forum):
    alice, database = forum.person("alice"), forum.database
    read_until_prepared(database, alice.id)
    deallocate(database.executor._local.connection.driver)
    read_until_prepared(database, alice.id)


def test_requests_go_on_after_a_column_has_changed_its_type(forum):
    alice, node = forum.person("alice"), forum.node()
    topic = forum.topic(alice, node)
    requests: list[Callable[[], Any]] = [
        lambda: forum.nobody.get("/users/alice"),
        lambda: alice.post(f"/topics/{topic}/replies", body="Hi @alice"),
        lambda: alice.get("/users/me"),
        lambda: alice.put("/users/me", bio="More"),
    ]

    def statuses() -> list[int]:
        return [request().status_int for request in requests]

    for _ in range(3):
        assert statuses() == [200, 201, 200, 200]
    try:
        alter(forum)
        assert statuses() == [200, 201, 200, 200]
    finally:
        restore(forum)
    assert statuses() == [200, 201, 200, 200]


def test_a_write_is_tried_again_after_its_statements_were_deallocated(forum):
    alice, node = forum.person("alice"), forum.node()
    topic = forum.topic(alice, node)
    for number in range(3):
        assert alice.post(f"/topics/{topic}/replies", body=f"{number}").status_int == 201
    connections = pooled_connections(forum.registry.database)
    assert connections
    for connection in connections:
        deallocate(connection)
    assert alice.post(f"/topics/{topic}/replies", body="Last").status_int == 201
    replies = forum.nobody.get(f"/topics/{topic}/replies").json
    assert [reply["body_html"] for reply in replies][-1] == "<p>Last</p>"
    assert len(replies) == 4


@pytest.mark.direct
def test_writes_work_again_when_the_database_accepts_them(forum):
    alice, node = forum.person("alice"), forum.node()
    topic = forum.topic(alice, node)

    def reply() -> Any:
        return alice.post(f"/topics/{topic}/replies", body="A reply")

    assert reply().status_int == 201
    with defaults(forum.database.url.render_as_string(False), default_transaction_read_only="on"):
        # As if the whole server were set to read-only, including open sessions.
        for connection in pooled_connections(forum.registry.database):
            connection.pgconn.exec_(b"SET default_transaction_read_only = on")
        for _ in range(2):
            refused = reply()
            assert (refused.status_int, set(refused.json)) == (503, {"error"})
            assert refused.headers["Retry-After"] == "1"
            assert forum.nobody.get("/topics").status_int == 200
    assert reply().status_int == 201


def test_a_transaction_has_the_isolation_level_of_its_session(forum):
    node, level = forum.node("Old"), text("SHOW transaction_isolation")
    with forum.database.session() as db:
        db.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        execute(db, _RENAMED, {"node": node, "new": "New"})
        assert db.scalar(level) == "repeatable read"
    with forum.database.session() as db:
        execute(db, _RENAMED, {"node": node, "new": "New"})
        assert db.scalar(level) == "read committed"
