"""Test databases: created by the migrations, one of each kind for every test process."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import make_url, text

from forumsvc import migrate
from forumsvc.cache.database import open_database
from forumsvc.db.engine import Database
from forumsvc.models import Base
from tests import postgres
from tests.pgbouncer import PgBouncer

KINDS = ("sqlite", "postgresql")

on_sqlite, on_postgresql = (
    pytest.mark.parametrize("database_url", [kind], indirect=True, scope="session")
    for kind in KINDS
)
"""Marks of a test of one kind: of a file with one writer, or of a server with connections."""

pgbouncer: PgBouncer | None = None
"""The PgBouncer that the applications under test go through, with the option `--pooler`."""


def settings_of(url: str) -> dict[str, str]:
    """Return the settings of the database of an application under test."""
    if pgbouncer is None or url.startswith("sqlite"):
        return {"sqlalchemy.url": url}
    return pgbouncer.settings(url)


def _migrate(url: str) -> None:
    with open_temporarily(url) as database:
        migrate.upgrade(database.writes)


def new_url(
    kind: str, name: str, factory: pytest.TempPathFactory, worker_id: str, *, empty: bool = False
) -> str:
    """Return the URL of a new database with all tables, or with none if `empty`.

    kind: one of KINDS; name: unique among the databases of this process.
    """
    if kind == "sqlite":
        # Another folder each time: a module whose tests two workers share sets itself up twice.
        url = f"sqlite:///{factory.mktemp(name) / name}.sqlite"
        if not empty:
            _migrate(url)
        return url
    folder = factory.getbasetemp()
    shared = folder.parent if worker_id != "master" else folder
    running = postgres.server(shared)
    template = None if empty else postgres.template_database(shared, running, _migrate)
    return postgres.create_database(running, f"{name}_{worker_id}", template)


def plain_url(url: str) -> str:
    """Return the URL of a PostgreSQL database as its own programs and psycopg take it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


@contextmanager
def open_temporarily(url: str) -> Iterator[Database]:
    """Open a database, and close all connections to it at the end."""
    database = open_database(url)
    try:
        yield database
    finally:
        database.dispose()


_GUARD = "SELECT sql FROM sqlite_master WHERE name = 'audit_log_delete'"
"""The trigger that refuses to delete records of the log, also here."""


def restart_ids(database: Database) -> None:
    """Let the ids of new rows begin at 1 again, after a test that wrote high ones."""
    with database.writes.begin() as connection:
        if database.is_sqlite:
            connection.execute(text("DELETE FROM sqlite_sequence"))
        else:
            connection.execute(
                text("SELECT setval(format('%I', sequencename), 1, false) FROM pg_sequences")
            )


def delete_all_rows(database: Database) -> None:
    """Delete all rows, so that the next test sees no committed data."""
    tables = reversed(Base.metadata.sorted_tables)
    with database.writes.begin() as connection:
        guard = None
        if database.is_sqlite:
            guard = connection.scalar(text(_GUARD))
            connection.execute(text("DROP TRIGGER IF EXISTS audit_log_delete"))
            # Before the end of the transaction it is all one: the keys are whole again.
            connection.execute(text("PRAGMA defer_foreign_keys = ON"))
        else:
            connection.execute(text("SET LOCAL session_replication_role = replica"))
        for table in tables:
            connection.execute(table.delete())
        if guard is not None:
            connection.exec_driver_sql(guard)
