"""Makes and drops indexes of large tables while the service reads and writes the table.

For migrations. On PostgreSQL these functions end the transaction, so they must be the first thing
that a migration does. A call that was interrupted leaves an invalid index; the next call of the
same function replaces it.
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
