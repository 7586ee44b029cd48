"""The migrations create the schema of the models on both databases, and can be downgraded."""

import re
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, select, text

from forumsvc import migrate
from forumsvc.db.engine import Database
from forumsvc.models import Base, Job, JobKind
from tests.migrations import rows


def schema(connection: Connection) -> dict[str, str]:
    """Return the database's own definitions of its schema, by name."""
    if connection.dialect.name == "sqlite":
        query = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    else:
        query = """
            SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
            UNION ALL
            SELECT conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
            FROM pg_constraint WHERE connamespace = 'public'::regnamespace
            UNION ALL
            SELECT table_name || '.' || column_name,
                   data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') || ' '
                   || coalesce(character_maximum_length::text, '')
            FROM information_schema.columns WHERE table_schema = 'public'
        """
    rows = connection.execute(text(query)).all()
    return {name: sql for name, sql in rows if "alembic_version" not in name}


def test_each_migration_keeps_the_rows_of_every_table_up_and_down(blank):
    scripts = ScriptDirectory.from_config(migrate.alembic_config())
    steps = [step.revision for step in reversed([*scripts.walk_revisions()])]
    assert steps == migrate._revisions(migrate.script_location())
    kept: dict[str, int] = {}
    for before, step in zip(["base", *steps], steps, strict=False):
        migrate.upgrade(blank.writes, step)
        with blank.writes.begin() as connection:
            # Some insert a job.
            counts = rows.count(connection)
            assert [name for name, number in kept.items() if counts[name] < number] == []
            rows.fill(connection)
            there = schema(connection)
        migrate.downgrade(blank.writes, before)
        with blank.writes.connect() as connection:
            assert rows.count(connection) == kept
        assert migrate.upgrade(blank.writes, step) == step
        with blank.writes.begin() as connection:
            assert schema(connection) == there
            rows.fill(connection)
            kept = rows.count(connection)
            assert min(kept.values()) == 1


@pytest.mark.parametrize("has_posts", [True, False])
def test_an_upgrade_of_a_forum_with_posts_has_places_made_up_to_its_newest_reply(blank, has_posts):
    migrate.upgrade(blank.writes, "0017")
    if has_posts:
        with blank.writes.begin() as connection:
            rows.fill(connection)
    migrate.upgrade(blank.writes)
    with blank.writes.connect() as connection:
        made = connection.execute(select(Job.data).where(Job.kind == JobKind.PLACES)).all()
    begin = {"last_reply_id": rows.ROW_ID, "source": "topics", "last_id": 0}
    assert made == ([(begin,)] if has_posts else [])


@pytest.mark.filterwarnings("ignore:autogenerate skipping metadata-specified expression")
def test_the_migrations_create_the_schema_of_the_models(blank):
    migrate.upgrade(blank.writes)
    # SQLite returns defaults in another form; the test below compares them there.
    options = {
        "compare_type": True,
        "compare_server_default": not blank.is_sqlite,
        "include_name": lambda name, type_, parents: "_fts" not in (name or ""),
        "include_object": _sqlite_can_have if blank.is_sqlite else _is_comparable,
    }
    with blank.writes.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, Base.metadata) == []


def _sqlite_can_have(found: Any, *rest: Any) -> bool:
    """Return False for an index of the models that is made on PostgreSQL only."""
    return getattr(found, "_ddl_if", None) is None


def _is_comparable(found: Any, name: str, *rest: Any) -> bool:
    """Return False for an index whose collation alembic does not read; see the test below."""
    return name != "ix_users_login_key_bytes"


def described(blank: Database, make: Any) -> dict[str, str]:
    """Return the schema that `make` creates, without names that may differ, for a comparison."""
    make()
    with blank.writes.connect() as connection:
        return {name: _plain(sql or "") for name, sql in schema(connection).items()}


def _plain(sql: str) -> str:
    """Return a definition without quotes, spaces and the order of a table's columns."""
    sql = re.sub(r"\s+", " ", sql.replace('"', "")).lower()
    if not sql.startswith("create table"):
        return sql
    inner = sql[sql.index("(") + 1 : sql.rindex(")")]
    # For SQLite, false is the same as 0.
    inner = inner.replace("default false", "default 0")
    parts = re.split(r", (?![^()]*\))", inner)
    return str(sorted(part.strip() for part in parts))


def test_constraints_and_partial_indexes_are_those_of_the_models(blank):
    migrated = described(blank, lambda: migrate.upgrade(blank.writes))
    migrate.downgrade(blank.writes, "base")
    modelled = described(blank, lambda: Base.metadata.create_all(blank.writes))
    assert {name for name in migrated if "where" in migrated[name]}
    differing = {
        name: (migrated.get(name), modelled.get(name))
        for name in migrated.keys() | modelled.keys()
        if migrated.get(name) != modelled.get(name)
    }
    assert differing == {}
