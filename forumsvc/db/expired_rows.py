"""Deleting rows that have expired, in small transactions."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, inspect, select, tuple_

from .base import Base
from .engine import Database
from .statements import delete_of

BATCH_SIZE = 1000
"""Rows per transaction; on SQLite all other writers wait for it."""


class ExpiredRows(NamedTuple):
    """What to delete of a table. conditions: of the rows that have expired by a time."""

    model: type[Base]
    conditions: Callable[[datetime], Sequence[ColumnElement[bool]]]


def delete_batch(database: Database, expired: ExpiredRows, now: datetime) -> int:
    """Delete at most `BATCH_SIZE` rows and return how many.

    They are found without a lock, because that may take longer than deleting them.
    """
    model, conditions = expired.model, expired.conditions(now)
    key: Sequence[Any] = inspect(model).primary_key
    with database.reads.connect() as connection:
        found = connection.execute(select(*key).where(*conditions).limit(BATCH_SIZE)).all()
    if not found:
        return 0
    is_found = tuple_(*key).in_([tuple(row) for row in found])
    with database.session.begin() as db:
        deleted = db.execute(delete_of(model).where(is_found, *conditions).returning(*key))
        return len(deleted.all())
