"""What every query shares: how it is run."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select
from sqlalchemy.orm import Session

from .compiled_statement import Query, Values
from .executor import GATEWAY, Awaited, Gateway

Connected = Connection | Session
"""A command's or a transaction's way to the database: it runs any statement."""

Reader = Gateway | Connected
"""A safe request reads by the gateway, an unsafe one in its transaction; all run a SELECT."""


def is_sqlite(db: Reader) -> bool:
    """Return whether it reads an SQLite file."""
    dialect = db.get_bind().dialect if isinstance(db, Session) else db.dialect
    return dialect.name == "sqlite"


def rows(db: Reader, statement: Query, values: Values) -> Sequence[Row[Any]]:
    """Run a SELECT and return its rows."""
    if isinstance(db, Gateway):
        return db.rows(statement, values)
    if isinstance(db, Session) and GATEWAY in db.info:
        gateway: Gateway = db.info[GATEWAY]
        return gateway.rows_in(db, statement, values)
    return db.execute(statement, values).all()


def ask(db: Session, statement: Query, values: Values) -> Awaited:
    """Run a SELECT and return what gives its rows when they are needed; see `Gateway.ask_in`."""
    awaited: Awaited = db.info[GATEWAY].ask_in(db, statement, values)
    return awaited


def row(db: Reader, statement: Select[Any], values: Values) -> Row[Any] | None:
    """Run a SELECT of at most one row and return it."""
    found = rows(db, statement, values)
    return found[0] if found else None
