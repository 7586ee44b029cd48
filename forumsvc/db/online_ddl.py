"""Changes indexes and checks of large tables while the service reads and writes the table.

For migrations. On PostgreSQL these functions end the transaction, so they must be the first thing
that a migration does. A call that was interrupted leaves an invalid index, or a check that only new
rows are held to; the next call of the same function replaces it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from alembic import op

_LOCK_TIMEOUT = "10min"
"""CONCURRENTLY waits for the end of all older transactions, but nobody waits behind it."""


def create_index(name: str, table: str, columns: Sequence[Any], where: str | None = None) -> None:
    """Create an index, or replace one of that name.

    columns: names or expressions; where: the condition of a partial index.
    """
    with _online() as concurrently:
        if concurrently:
            op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)
        _create(name, table, columns, where, concurrently)


def drop_index(name: str, table: str) -> None:
    """Drop an index if it exists."""
    with _online() as concurrently:
        op.drop_index(name, table, if_exists=True, postgresql_concurrently=concurrently)


def replace_check(name: str, table: str, condition: str) -> None:
    """Replace the CHECK constraint of that name, without a copy of the table.

    condition: SQL, as in the model. Rows that do not meet it must be changed or deleted before.
    Raises ValueError, and changes nothing, if one is left.
    """
    broken = sa.text(f"SELECT EXISTS (SELECT 1 FROM {table} WHERE NOT ({condition}))")  # noqa: S608
    if op.get_bind().scalar(broken):
        raise ValueError(f"{name}: a row of {table} does not meet {condition}")
    if op.get_context().dialect.name == "sqlite":
        _replace_check_in_schema(name, table, condition)
        return
    # NOT VALID: the lock of the table is held for a moment, not while all rows are read.
    op.execute(
        f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}, "
        f"ADD CONSTRAINT {name} CHECK ({condition}) NOT VALID"
    )
    with _online():
        op.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}")


def _replace_check_in_schema(name: str, table: str, condition: str) -> None:
    """Replace a CHECK in SQLite's own record of the table (https://sqlite.org/lang_altertable.html,
    "Making Other Kinds Of Table Schema Changes"): SQLite has no statement for it.
    """
    db = op.get_bind()
    checks = {one["name"]: one["sqltext"] for one in sa.inspect(db).get_check_constraints(table)}
    old, new = f"{name} CHECK ({checks.get(name)})", f"{name} CHECK ({condition})"
    update = sa.text(
        "UPDATE sqlite_schema SET sql = replace(sql, :old, :new)"
        " WHERE type = 'table' AND name = :table AND instr(sql, :old) RETURNING name"
    )
    db.exec_driver_sql("PRAGMA writable_schema = ON")
    if db.scalar(update, {"table": table, "old": old, "new": new}) is None:
        raise ValueError(f"{table} has no CHECK {name}")
    version = db.exec_driver_sql("PRAGMA schema_version").scalar_one()
    db.exec_driver_sql(f"PRAGMA schema_version = {version + 1}")
    db.exec_driver_sql("PRAGMA writable_schema = RESET")


def _create(
    name: str, table: str, columns: Sequence[Any], where: str | None, concurrently: bool
) -> None:
    only = None if where is None else sa.text(where)
    op.create_index(
        name,
        table,
        list(columns),
        sqlite_where=only,
        postgresql_where=only,
        postgresql_concurrently=concurrently,
    )


@contextmanager
def _online() -> Iterator[bool]:
    """Leave the transaction on PostgreSQL; yield whether that was done."""
    context = op.get_context()
    if context.dialect.name == "sqlite":
        yield False
        return
    with context.autocommit_block():
        before = op.get_bind().scalar(sa.text("SELECT current_setting('lock_timeout')"))
        op.execute(f"SET lock_timeout = '{_LOCK_TIMEOUT}'")
        try:
            yield True
        finally:
            op.execute(f"SET lock_timeout = '{before}'")
