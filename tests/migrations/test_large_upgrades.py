"""Upgrades of a large PostgreSQL while others read and write what the migrations change."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from forumsvc import migrate
from forumsvc.db.engine import Database
from tests.migrations import later

pytestmark = [
    pytest.mark.extended,
    pytest.mark.parametrize("blank", ["postgresql"], indirect=True),
]
TOPICS = 10_000
SIZES = {"users": 200_000, "topics": TOPICS, "replies": 1_000_000}
FIRST_REVISION = "0001"
FILL = (
    # Neither foreign keys nor other triggers: the rows are right by themselves.
    "SET session_replication_role = replica",
    "INSERT INTO users (id, login, login_key, role, state, created_at, updated_at)"
    " SELECT i, 'u' || i, 'u' || i, 'member', 'active', now(), now()"
    " FROM generate_series(1, :users) i",
    "INSERT INTO nodes (id, name, summary, created_at, updated_at)"
    " VALUES (1, 'General', '', now(), now())",
    "INSERT INTO topics (id, user_id, node_id, title, body, body_html, markup_version,"
    " last_active_at, created_at, updated_at)"
    " SELECT i, i, 1, 'Topic', 'Text', '<p>Text</p>', 1, now(), now(), now()"
    " FROM generate_series(1, :topics) i",
    "INSERT INTO replies (id, topic_id, user_id, body, body_html, markup_version, created_at,"
    " updated_at)"
    " SELECT i, 1 + i % :topics, 1 + i % :users, 'Text', '<p>Text</p>', 1, now(), now()"
    " FROM generate_series(1, :replies) i",
    "SET session_replication_role = DEFAULT",
)
READS = (
    "SELECT login FROM users WHERE id = :n",
    "SELECT id FROM replies WHERE topic_id = :n LIMIT 20",
    "SELECT title FROM topics WHERE id = :n",
)
WRITES = (
    "UPDATE users SET unread_count = unread_count + 1 WHERE id = :n",
    "UPDATE topics SET hits = hits + 1 WHERE id = :n",
    "UPDATE replies SET likes_count = likes_count + 1 WHERE id = :n",
)


@pytest.fixture
def large(blank: Database) -> Database:
    """A database at the first revision, with many users and replies."""
    migrate.upgrade(blank.writes, FIRST_REVISION)
    with blank.writes.begin() as connection:
        for statement in FILL:
            connection.execute(text(statement), SIZES)
    with blank.writes.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("VACUUM ANALYZE"))
    return blank


@dataclass
class Others:
    """What others did during an upgrade: how many statements, and which of them waited long."""

    done: int = 0
    failed: list[str] = field(default_factory=list)


@contextmanager
def others(database: Database) -> Iterator[Others]:
    """Read and write in two threads, each statement with half a second for its locks."""
    stop, seen = threading.Event(), Others()

    def repeat(statements: tuple[str, ...]) -> None:
        number = 0
        with database.writes.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.execute(text("SET lock_timeout = '500ms'"))
            while not stop.is_set():
                number = number % TOPICS + 1
                for statement in statements:
                    try:
                        connection.execute(text(statement), {"n": number})
                        seen.done += 1
                    except OperationalError as error:
                        seen.failed.append(f"{statement}: {error.orig}")

    threads = [threading.Thread(target=repeat, args=(one,)) for one in (READS, WRITES)]
    for thread in threads:
        thread.start()
    try:
        yield seen
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_every_migration_lets_others_read_and_write(large, tmp_path, monkeypatch):
    """Of the migrations behind the first one, and of three that a recipe describes."""
    later.install(tmp_path / "later", monkeypatch, later.FIRST, later.SECOND, later.THIRD)
    with others(large) as seen:
        assert migrate.upgrade(large.writes) == later.THIRD
    assert seen.failed == []
    assert seen.done > 0
