"""Writes the demo's rows into a database: the common part of SQLite and PostgreSQL."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Protocol

from sqlalchemy import Connection

from .rows import Row, TableRows

Progress = Callable[[str, int, int | None], None]
"""Called with the name of the current table, the rows written, and their total (None: unknown)."""

_BATCH = 5000


class Writer(Protocol):
    """Fills tables in one transaction, in any order: foreign keys are checked at the end."""

    connection: Connection

    def write(self, table: TableRows, progress: Progress) -> int:
        """Write all rows of a table and return their number."""


def batches(table: TableRows, progress: Progress) -> Iterator[list[Row]]:
    """Yield a table's rows in batches of some thousands, and report each batch when it is done."""
    name, done = table.model.__tablename__, 0
    progress(name, done, table.total)
    rows = iter(table.rows)
    while batch := list(islice(rows, _BATCH)):
        yield batch
        done += len(batch)
        progress(name, done, table.total)
