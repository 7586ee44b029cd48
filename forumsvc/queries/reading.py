"""What every query shares: how it is run."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import CompoundSelect, Connection, Row, Select
from sqlalchemy.orm import Session

Reader = Connection | Session
"""A safe request reads on a connection, an unsafe one in its transaction; both run a SELECT."""


def is_sqlite(db: Reader) -> bool:
    """Return whether it reads an SQLite file."""
    dialect = db.dialect if isinstance(db, Connection) else db.get_bind().dialect
    return dialect.name == "sqlite"


def rows(
    db: Reader, statement: Select[Any] | CompoundSelect[Any], values: dict[str, Any]
) -> Sequence[Row[Any]]:
    """Run a SELECT and return its rows."""
    return db.execute(statement, values).all()


def row(db: Reader, statement: Select[Any], values: dict[str, Any]) -> Row[Any] | None:
    """Run a SELECT of at most one row and return it."""
    return db.execute(statement, values).first()
