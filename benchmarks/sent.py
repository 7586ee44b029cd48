"""Statements as the database driver gets them, with their values, by whatever way they come."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from sqlalchemy import event

from forumsvc.models.engine import Database


@dataclass(frozen=True)
class Sent:
    """A statement; values: of its parameters, None where they are in the text already (SQLite)."""

    text: str
    values: Any = None


class Watch:
    """Notes every SELECT on the connections that a database makes from now on.

    To be made before its first connection.
    """

    def __init__(self, database: Database) -> None:
        self._noted: list[Sent] | None = None
        note = self._sqlite if database.is_sqlite else self._postgresql
        for engine in (database.reads, database.writes):
            event.listen(engine, "connect", note)

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

    def _postgresql(self, connection: "psycopg.Connection[Any]", record: Any) -> None:
        watch = self

        class Noting(psycopg.Cursor[Any]):
            def execute(self, query: Any, params: Any = None, **kw: Any) -> Any:
                watch.note(query if isinstance(query, str) else str(query), params)
                return super().execute(query, params, **kw)

        connection.cursor_factory = Noting
