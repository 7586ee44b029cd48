"""Inserting a row that may be there already, in one statement on both databases."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from .meta import Base


def insert_if_absent(
    db: Session, model: type[Base], *, rows: Sequence[dict[str, Any]] | None = None, **values: Any
) -> int:
    """Insert the given row (or rows), leaving out what a unique key refuses.

    Returns how many rows were really inserted: concurrent doubles see 1 and 0, never an error.
    """
    dialect = db.get_bind().dialect.name
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement = insert(model).values(list(rows) if rows is not None else values)
    key = inspect(model).primary_key[0]
    done = db.execute(statement.on_conflict_do_nothing().returning(key))
    return len(done.all())
