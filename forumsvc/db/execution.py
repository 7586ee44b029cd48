"""Executes SELECTs, whether in AUTOCOMMIT or in a transaction."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select
from sqlalchemy.orm import Session

from .compiled_statement import Query, Values
from .executor import EXECUTOR, Executor

SqlConnection = Connection | Session
"""Executes any SQLAlchemy statement: for commands, and for services."""

ReadConnection = Executor | SqlConnection
"""Executes SELECTs: of safe requests by the executor, of unsafe ones in their transaction."""


def is_sqlite(db: ReadConnection) -> bool:
    """Return whether the database is an SQLite file."""
    dialect = db.get_bind().dialect if isinstance(db, Session) else db.dialect
    return dialect.name == "sqlite"


def rows(db: ReadConnection, statement: Query, values: Values) -> Sequence[Row[Any]]:
    """Execute a SELECT and return its rows.

    statement: the same object at each call (a constant, or from a function with `@cache`), or it is
    compiled again each time.
    """
    if isinstance(db, Executor):
        return db.rows(statement, values)
    if isinstance(db, Session) and EXECUTOR in db.info:
        executor: Executor = db.info[EXECUTOR]
        return executor.rows_in(db, statement, values)
    return db.execute(statement, values).all()


def row(db: ReadConnection, statement: Select[Any], values: Values) -> Row[Any] | None:
    """Execute a SELECT of at most one row, and return the row or None."""
    result = rows(db, statement, values)
    return result[0] if result else None
