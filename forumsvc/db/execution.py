"""What every query shares: how it is run."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select
from sqlalchemy.orm import Session

from .compiled_statement import Query, Values
from .executor import EXECUTOR, Executor, RowsFuture

SqlConnection = Connection | Session
"""A command's or a transaction's way to the database: it runs any statement."""

ReadConnection = Executor | SqlConnection
"""A safe request reads by the executor, an unsafe one in its transaction; all run a SELECT."""


def is_sqlite(db: ReadConnection) -> bool:
    """Return whether it reads an SQLite file."""
    dialect = db.get_bind().dialect if isinstance(db, Session) else db.dialect
    return dialect.name == "sqlite"


def rows(db: ReadConnection, statement: Query, values: Values) -> Sequence[Row[Any]]:
    """Run a SELECT and return its rows."""
    if isinstance(db, Executor):
        return db.rows(statement, values)
    if isinstance(db, Session) and EXECUTOR in db.info:
        executor: Executor = db.info[EXECUTOR]
        return executor.rows_in(db, statement, values)
    return db.execute(statement, values).all()


def submit(db: Session, statement: Query, values: Values) -> RowsFuture:
    """Run a SELECT and return what gives its rows when they are needed; see `Gateway.submit_in`."""
    awaited: RowsFuture = db.info[EXECUTOR].submit_in(db, statement, values)
    return awaited


def row(db: ReadConnection, statement: Select[Any], values: Values) -> Row[Any] | None:
    """Run a SELECT of at most one row and return it."""
    found = rows(db, statement, values)
    return found[0] if found else None
