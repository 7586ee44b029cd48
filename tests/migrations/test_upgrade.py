"""Upgrades during service, in parallel, and after an interrupted one."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from forumsvc import migrate
from forumsvc.cache.database import open_database
from forumsvc.db import online_ddl, schema_lock
from forumsvc.db.connection_options import ConnectionOptions, Timeouts
from forumsvc.db.engine import Database
from tests.functional.threads import together
from tests.migrations import later
from tests.migrations.test_migrations import schema
from tests.system.process import wait_until

postgresql_only = pytest.mark.parametrize("blank", ["postgresql"], indirect=True)


@pytest.fixture
def upgraded(blank: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """The blank database at the newest revision, behind which three more migrations follow."""
    later.install(tmp_path / "later", monkeypatch, later.FIRST, later.SECOND, later.THIRD)
    migrate.upgrade(blank.writes, later.HEAD)
    return blank


@pytest.fixture
def impatient(blank: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """The blank database with a short lock timeout."""
    monkeypatch.setattr(schema_lock, "LOCK_TIMEOUT_MS", 50)
    monkeypatch.setattr(schema_lock, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(online_ddl, "_LOCK_TIMEOUT", "50ms")
    url = blank.url.render_as_string(hide_password=False)
    database = open_database(url, ConnectionOptions(timeouts=Timeouts(lock=0.05)))
    yield database
    database.dispose()


@contextmanager
def locked(database: Database, table: str) -> Iterator[None]:
    """Hold a lock of a table in an open transaction that reads it, as a dump does."""
    with database.writes.connect() as other:
        other.execute(text(f"SELECT count(*) FROM {table}"))  # noqa: S608 - a name of ours
        yield
        other.rollback()


def test_two_upgrades_at_once_both_succeed(blank):
    url = blank.url.render_as_string(hide_password=False)
    others = [open_database(url) for _ in range(3)]
    try:
        reached = together([partial(migrate.upgrade, one.writes) for one in others])
    finally:
        for one in others:
            one.dispose()
    assert reached == [migrate.head()] * 3
    assert migrate.pending(blank.writes) == []


def test_an_upgrade_gives_up_after_lock_timeouts_and_changes_nothing(upgraded, impatient):
    with upgraded.writes.connect() as connection:
        before = schema(connection)
    lines: list[str] = []
    with ThreadPoolExecutor(1) as pool, locked(upgraded, "topics"):
        upgrade = pool.submit(migrate.upgrade, impatient.writes, later.FIRST, report=lines.append)
        failure = upgrade.exception(30)
    assert isinstance(failure, schema_lock.SchemaBusy)
    assert len(str(failure).splitlines()) == 1
    assert len([line for line in lines if "trying again" in line]) == schema_lock.ATTEMPTS - 1
    assert migrate.current(upgraded.writes) == later.HEAD
    with upgraded.writes.connect() as connection:
        assert schema(connection) == before
    assert migrate.upgrade(upgraded.writes) == later.THIRD


def test_an_upgrade_continues_when_the_lock_is_released(upgraded, impatient):
    with upgraded.writes.connect() as other:
        other.execute(text("SELECT count(*) FROM topics"))

        def release(line: str) -> None:
            if "trying again" in line:
                other.rollback()

        assert migrate.upgrade(impatient.writes, report=release) == later.THIRD


def test_pending_migrations_are_listed_and_reported(upgraded):
    steps = migrate.pending(upgraded.writes)
    assert [step.revision for step in steps] == [later.FIRST, later.SECOND, later.THIRD]
    assert steps[0].summary == "Add a column to topics."
    lines: list[str] = []
    migrate.upgrade(upgraded.writes, report=lines.append)
    assert lines == [f"To run: {step.revision} {step.summary}" for step in steps]
    assert migrate.pending(upgraded.writes) == []


@postgresql_only
def test_indexes_of_large_tables_are_created_and_dropped_while_others_write(upgraded):
    seen: list[str] = []

    def note(conn: Any, cursor: Any, statement: str, *rest: Any) -> None:
        ddl = statement.strip()
        if re.match("(CREATE|DROP) INDEX", ddl):
            seen.append(ddl)

    event.listen(upgraded.writes, "before_cursor_execute", note)
    try:
        migrate.upgrade(upgraded.writes)
        migrate.downgrade(upgraded.writes, later.HEAD)
    finally:
        event.remove(upgraded.writes, "before_cursor_execute", note)
    assert {one.split()[0] for one in seen} == {"CREATE", "DROP"}
    assert [one for one in seen if "CONCURRENTLY" not in one] == []


@postgresql_only
def test_an_upgrade_replaces_the_invalid_indexes_of_one_that_was_interrupted(upgraded, impatient):
    migrate.upgrade(upgraded.writes, later.FIRST)
    with upgraded.writes.connect() as old:
        # CREATE INDEX CONCURRENTLY waits for earlier writers of the table.
        old.execute(text("LOCK TABLE topics IN ROW EXCLUSIVE MODE"))
        with pytest.raises(schema_lock.SchemaBusy):
            migrate.upgrade(impatient.writes)
    assert invalid(upgraded) != []
    assert migrate.current(upgraded.writes) == later.FIRST
    assert migrate.upgrade(upgraded.writes) == later.THIRD
    assert invalid(upgraded) == []


def invalid(database: Database) -> list[str]:
    """Return the names of indexes that PostgreSQL does not use."""
    query = "SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid"
    with database.writes.connect() as connection:
        return [*connection.scalars(text(query))]


@postgresql_only
def test_each_migration_is_a_transaction_of_its_own(upgraded, impatient):
    with locked(upgraded, "oauth_tokens"), pytest.raises(schema_lock.SchemaBusy):
        migrate.upgrade(impatient.writes)
    assert migrate.current(upgraded.writes) == later.SECOND


@postgresql_only
def test_the_settings_of_an_upgrade_do_not_stay_on_pooled_connections(blank):
    with blank.writes.connect() as connection:
        before = connection.scalar(text("SHOW lock_timeout"))
    migrate.upgrade(blank.writes)
    with blank.writes.connect() as connection:
        assert connection.scalar(text("SHOW lock_timeout")) == before
        # Other tests use the same server; its session ends a moment after it was closed.
        locks = text(
            "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database"
            " WHERE locktype = 'advisory' AND datname = current_database()"
        )
        wait_until(lambda: connection.scalar(locks) == 0, "the advisory lock is released")
