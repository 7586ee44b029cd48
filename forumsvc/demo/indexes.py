"""Fills tables without their indexes and constraints, which are created again afterwards.

That is ten times faster than maintaining them row by row, and they are checked as strictly.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, text

from ..models import Base
from ..queries import recount

_CONSTRAINTS = text(
    "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid)"
    " FROM pg_constraint WHERE contype = ANY(:kinds)"
    " AND (conrelid = ANY(CAST(:tables AS regclass[])) OR confrelid = ANY(CAST(:tables AS"
    " regclass[]))) ORDER BY 1, 2"
)
_INDEXES = text(
    "SELECT quote_ident(relname), pg_get_indexdef(indexrelid) FROM pg_index"
    " JOIN pg_class ON pg_class.oid = indexrelid"
    " WHERE indrelid = ANY(CAST(:tables AS regclass[]))"
    " AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid) ORDER BY 1"
)
_SQLITE_INDEXES = text(
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
)


@contextmanager
def without_indexes(
    db: Connection, progress: Callable[[str, int, int | None], None]
) -> Iterator[None]:
    """Drop the indexes for the block, in the caller's transaction; on PostgreSQL also the
    constraints, for which others who use the tables wait until the end of the transaction.
    """
    if db.dialect.name == "sqlite":
        statements = _drop_indexes(db, db.execute(_SQLITE_INDEXES).all())
    else:
        db.execute(text("SET LOCAL maintenance_work_mem = '256MB'"))
        tables = [table.name for table in Base.metadata.sorted_tables]
        foreign_keys = _drop_constraints(db, tables, "f")
        indexes = _drop_indexes(db, db.execute(_INDEXES, {"tables": tables}).all())
        statements = _drop_constraints(db, tables, "up") + indexes + foreign_keys
        statements = _index_counters(db) + statements
    yield
    for done, statement in enumerate(statements):
        progress("indexes", done, len(statements))
        db.exec_driver_sql(statement)
    progress("indexes", len(statements), len(statements))


def _index_counters(db: Connection) -> list[str]:
    """Create an index of no rows on the counters of each table; return the statements to drop it.

    An UPDATE of indexed columns makes no heap-only tuple. For the rows of such tuples PostgreSQL
    would not use the other indexes, created after the update, before the transaction ends.
    """
    statements = []
    for each in recount.recounts():
        table, columns = each.model.__tablename__, ", ".join(each.expected)
        db.exec_driver_sql(f"CREATE INDEX demo_{table} ON {table} ({columns}) WHERE false")
        statements.append(f"DROP INDEX demo_{table}")
    return statements


def _drop_constraints(db: Connection, tables: list[str], kinds: str) -> list[str]:
    """Drop constraints of these kinds (`pg_constraint.contype`); return the statements that create
    them again.
    """
    found = db.execute(_CONSTRAINTS, {"tables": tables, "kinds": list(kinds)}).all()
    for table, name, _ in found:
        db.exec_driver_sql(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    return [f"ALTER TABLE {table} ADD CONSTRAINT {name} {what}" for table, name, what in found]


def _drop_indexes(db: Connection, found: Sequence[Any]) -> list[str]:
    """Drop indexes, given as (name, definition); return the definitions."""
    for name, _ in found:
        db.exec_driver_sql(f"DROP INDEX {name}")
    return [definition for _, definition in found]
