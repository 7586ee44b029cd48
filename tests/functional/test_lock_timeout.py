"""A lock that somebody holds fails only the requests that need it, after the lock timeout."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from forumsvc.cache.database import open_database
from forumsvc.db.connection_options import ConnectionOptions, Timeouts
from forumsvc.models import Topic
from forumsvc.settings import Settings
from tests.databases import on_postgresql, on_sqlite
from tests.functional.forum import Forum
from tests.functional.test_database_timeouts import assert_come_back
from tests.functional.threads import alone, statuses, together
from tests.openapi.operations import INI_SETTINGS

pytestmark = pytest.mark.both_databases


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


@on_postgresql
def test_by_default_a_deadlock_is_found_before_the_wait_for_the_lock_ends(database):
    timeout = Settings(INI_SETTINGS)["database.lock_timeout_seconds"]
    with database.reads.connect() as connection:
        found_after = connection.scalar(
            text("SELECT setting::int FROM pg_settings WHERE name = 'deadlock_timeout'")
        )
    assert timeout * 1000 > found_after


@pytest.mark.direct
def test_who_needs_a_held_lock_gets_503_and_others_are_served(make_forum):
    forum = make_forum(database__lock_timeout_seconds="0.2")
    alice = forum.person("alice")
    node = forum.node()
    topic, elsewhere = forum.topic(alice, node), forum.topic(alice, node)

    def reply(to: int) -> Callable[[], Any]:
        caller = alone(forum, alice)
        return lambda: caller.post(f"/topics/{to}/replies", body="A reply")

    with held(forum, topic):
        *answers, listed, written = together(
            [*[reply(topic)] * 8, lambda: forum.nobody.get("/topics"), reply(elsewhere)]
        )
    assert statuses(answers) == {503: 8}
    for answer in answers:
        assert_come_back(answer)
    assert listed.status_int == 200
    # SQLite has one lock for all writes.
    assert written.status_int == (503 if forum.database.is_sqlite else 201)
    assert reply(topic)().status_int == 201
    assert forum.nobody.get(f"/topics/{topic}").json["replies_count"] == 1


@pytest.mark.direct
@on_postgresql
def test_readers_of_a_locked_table_get_503_and_others_are_served(make_forum):
    forum = make_forum(database__lock_timeout_seconds="0.2")
    alice, node = forum.person("alice"), forum.node()
    topic = forum.topic(alice, node)
    with forum.database.writes.connect() as other:
        other.execute(text("LOCK TABLE topics IN ACCESS EXCLUSIVE MODE"))
        for path in (f"/topics/{topic}", "/users/alice/topics"):
            assert_come_back(forum.nobody.get(path))
        assert forum.nobody.get("/users/alice").status_int == 200
        assert forum.nobody.app.get("/health").status_int == 200
        other.rollback()
    assert forum.nobody.get(f"/topics/{topic}").status_int == 200


@on_sqlite
def test_a_write_lock_that_is_not_free_in_time_is_an_error_of_the_driver(database_url):
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
