"""Fills a PostgreSQL database by COPY."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Column, Connection, Engine, exists, func, select, text

from ..cache import invalidation
from ..models import Base
from .rows import TableRows
from .writer import Progress, batches

_CONSTRAINTS = text(
    "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid)"
    " FROM pg_constraint WHERE contype = ANY(:kinds)"
    " AND (conrelid = ANY(CAST(:tables AS regclass[])) OR confrelid = ANY(CAST(:tables AS"
    " regclass[]))) ORDER BY 1, 2"
)
_INDEXES = text(
    "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
    " WHERE indrelid = ANY(CAST(:tables AS regclass[]))"
    " AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid) ORDER BY 1"
)


class PostgreSQLWriter:
    """Writes rows by COPY. See `writer.Writer`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def write(self, table: TableRows, progress: Progress) -> int:
        """Write all rows of a table and return their number."""
        name = table.model.__tablename__
        listed = ", ".join(table.columns)
        # A table that this transaction truncated can be filled with FREEZE: its rows need no later
        # visit to become visible to all transactions.
        options = "FORMAT binary"
        if not self.connection.scalar(select(exists().select_from(table.model))):
            self.connection.exec_driver_sql(f"TRUNCATE {name}")
            options += ", FREEZE"
        types = self._types(name, table.columns)
        written = 0
        driver: Any = self.connection.connection.driver_connection
        with (
            driver.cursor() as cursor,
            cursor.copy(f"COPY {name} ({listed}) FROM STDIN ({options})") as copy,
        ):
            copy.set_types(types)
            for batch in batches(table, progress):
                for row in batch:
                    copy.write_row(row)
                written += len(batch)
        return written

    def _types(self, name: str, columns: Sequence[str]) -> list[int]:
        found = self.connection.execute(
            text(
                "SELECT attname, CAST(atttypid AS bigint) AS oid FROM pg_attribute"
                " WHERE attrelid = CAST(:name AS regclass) AND attnum > 0"
            ),
            {"name": name},
        )
        oids = {row.attname: row.oid for row in found}
        return [oids[column] for column in columns]


@contextmanager
def open_writer(engine: Engine, progress: Progress) -> Iterator[PostgreSQLWriter]:
    """Yield a writer in a transaction that commits at the end, or rolls back if the block raises.

    Constraints and indexes are dropped meanwhile and created again when the rows are written. That
    is ten times faster than maintaining them row by row, and they are checked as strictly. Other
    users of the tables wait until the end.
    """
    tables = [table.name for table in Base.metadata.sorted_tables]
    with engine.begin() as connection:
        connection.exec_driver_sql("SET LOCAL maintenance_work_mem = '256MB'")
        statements = _drop_constraints(connection, tables, "f")
        statements = _drop_indexes(connection, tables) + statements
        statements = _drop_constraints(connection, tables, "up") + statements
        yield PostgreSQLWriter(connection)
        for done, statement in enumerate(statements):
            progress("indexes", done, len(statements))
            connection.exec_driver_sql(statement)
        progress("indexes", len(statements), len(statements))
        for table in Base.metadata.sorted_tables:
            if table.autoincrement_column is not None:
                _advance_sequence(connection, table.name, table.autoincrement_column)
        connection.exec_driver_sql("ANALYZE")
        invalidation.bump(connection, {invalidation.TOPIC_LISTS, invalidation.DISPLAY_NAMES})


def _drop_constraints(connection: Connection, tables: list[str], kinds: str) -> list[str]:
    """Drop constraints of these kinds (`pg_constraint.contype`); return the statements that create
    them again.
    """
    found = connection.execute(_CONSTRAINTS, {"tables": tables, "kinds": list(kinds)}).all()
    for table, name, _ in found:
        connection.exec_driver_sql(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    return [f"ALTER TABLE {table} ADD CONSTRAINT {name} {what}" for table, name, what in found]


def _drop_indexes(connection: Connection, tables: list[str]) -> list[str]:
    """Drop the indexes without a constraint; return the statements that create them again."""
    found = connection.execute(_INDEXES, {"tables": tables}).all()
    for name, _ in found:
        connection.exec_driver_sql(f"DROP INDEX {name}")
    return [definition for _, definition in found]


def _advance_sequence(connection: Connection, table: str, column: Column[int]) -> None:
    """Set the table's sequence to the largest id."""
    largest = func.max(column)
    sequence = func.pg_get_serial_sequence(table, column.name)
    connection.execute(select(func.setval(sequence, largest)).having(largest.is_not(None)))
