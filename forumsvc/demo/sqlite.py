"""Fills an SQLite database."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from sqlalchemy import Connection, Engine, insert

from ..cache import invalidation
from .rows import TableRows
from .writer import Progress, batches


class SQLiteWriter:
    """Inserts rows in batches. See `writer.Writer`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def write(self, table: TableRows, progress: Progress) -> int:
        """Write all rows of a table and return their number."""
        statement = insert(table.model.__table__)  # type: ignore[arg-type]  # it is a Table
        written = 0
        for batch in batches(table, progress):
            values = [dict(zip(table.columns, row, strict=True)) for row in batch]
            self.connection.execute(statement, values)
            written += len(batch)
        return written


@contextmanager
def open_writer(engine: Engine, progress: Progress) -> Iterator[SQLiteWriter]:
    """Yield a writer in a transaction that commits at the end, or rolls back if the block raises.

    Indexes are created after the rows. Raises AssertionError if a row refers to a missing one.
    """
    with engine.connect() as connection:
        # Foreign keys can only be switched off outside a transaction. They are off meanwhile: for
        # each new row SQLite would search for existing rows that refer to it.
        driver = cast(sqlite3.Connection, connection.connection.driver_connection)
        driver.execute("PRAGMA foreign_keys = OFF")
        try:
            with connection.begin():
                indexes = _drop_indexes(connection)
                yield SQLiteWriter(connection)
                for done, definition in enumerate(indexes):
                    progress("indexes", done, len(indexes))
                    connection.exec_driver_sql(definition)
                progress("indexes", len(indexes), len(indexes))
                orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(5)
                if orphans:
                    raise AssertionError(f"rows point at what is not there: {orphans}")
                connection.exec_driver_sql("ANALYZE")
                invalidation.bump(
                    connection, {invalidation.TOPIC_LISTS, invalidation.DISPLAY_NAMES}
                )
        finally:
            driver.execute("PRAGMA foreign_keys = ON")


def _drop_indexes(connection: Connection) -> list[str]:
    """Drop all indexes except those of unique constraints; return the statements that create them
    again.
    """
    found = connection.exec_driver_sql(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    ).all()
    for name, _ in found:
        connection.exec_driver_sql(f'DROP INDEX "{name}"')
    return [definition for _, definition in found]
