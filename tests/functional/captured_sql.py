"""Captures the SQL statements that the database driver gets, with their values."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import event

from forumsvc.db.engine import Database


@dataclass(frozen=True)
class CapturedStatement:
    """A statement; values: of its parameters, None if they are part of the text (SQLite)."""

    text: str
    values: Any = None


class StatementCapture:
    """Captures every SELECT on the connections that a database opens from now on.

    Create it before the first connection. On PostgreSQL it captures what the executor sends, which
    are all statements of a GET.
    """

    def __init__(self, database: Database) -> None:
        self._captured: list[CapturedStatement] | None = None
        if database.is_sqlite:
            for engine in (database.reads, database.writes):
                event.listen(engine, "connect", self._trace_sqlite)
        else:
            database.executor.query_listeners.append(self.record)

    @contextmanager
    def capture(self) -> Iterator[list[CapturedStatement]]:
        """Yield the list to which SELECTs are added during the block."""
        captured = self._captured = []
        try:
            yield captured
        finally:
            self._captured = None

    def record(self, text: str, values: Any = None) -> None:
        """Add a statement if it is a SELECT and a capture is active."""
        if self._captured is not None and text.lstrip("( \n").startswith(("SELECT", "WITH")):
            self._captured.append(CapturedStatement(text, values))

    def _trace_sqlite(self, connection: sqlite3.Connection, record: Any) -> None:
        connection.set_trace_callback(self.record)
