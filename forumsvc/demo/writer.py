"""Writing the demo's rows into a database: what SQLite and PostgreSQL have in common."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Protocol

from sqlalchemy import Connection

from .rows import Row, Table

Progress = Callable[[str, int, int | None], None]
"""Called with the name of what is being made, how much of it is done, and of how much in all
(None where that is not known)."""

_BATCH = 5000


class Writer(Protocol):
    """Fills tables in one transaction, in any order: foreign keys are checked at the end."""

    connection: Connection

    def write(self, table: Table, progress: Progress) -> int:
        """Write all rows of a table and return how many they were."""


def batches(table: Table, progress: Progress) -> Iterator[list[Row]]:
    """Yield a table's rows some thousands at a time, and report each batch when it is done."""
    name, done = table.model.__tablename__, 0
    progress(name, done, table.total)
    rows = iter(table.rows)
    while batch := list(islice(rows, _BATCH)):
        yield batch
        done += len(batch)
        progress(name, done, table.total)
