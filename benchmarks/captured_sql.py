"""Statements as the database driver gets them, with their values, by whatever way they come."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import event

from forumsvc.db.engine import Database


@dataclass(frozen=True)
class Sent:
    """A statement; values: of its parameters, None where they are in the text already (SQLite)."""

    text: str
    values: Any = None


class Watch:
    """Notes every SELECT on the connections that a database makes from now on.

    To be made before its first connection. On PostgreSQL it notes what the executor sends, which is
    all SQL of a GET.
    """

    def __init__(self, database: Database) -> None:
        self._noted: list[Sent] | None = None
        if database.is_sqlite:
            for engine in (database.reads, database.writes):
                event.listen(engine, "connect", self._sqlite)
        else:
            database.executor.query_listeners.append(self.note)

    @contextmanager
    def noting(self) -> Iterator[list[Sent]]:
        """Give the list to which SELECTs are added meanwhile."""
        noted = self._noted = []
        try:
            yield noted
        finally:
            self._noted = None

    def note(self, text: str, values: Any = None) -> None:
        """Add a statement, if it is a SELECT and somebody wants to know."""
        if self._noted is not None and text.lstrip("( \n").startswith(("SELECT", "WITH")):
            self._noted.append(Sent(text, values))

    def _sqlite(self, connection: sqlite3.Connection, record: Any) -> None:
        connection.set_trace_callback(self.note)
