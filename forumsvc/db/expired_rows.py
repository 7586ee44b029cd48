"""Deleting rows that have expired, in small transactions."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, inspect, select, tuple_
from sqlalchemy.exc import IntegrityError

from .base import Base
from .engine import Database
from .statements import delete_of

log = logging.getLogger(__name__)

BATCH_SIZE = 1000
"""Rows per transaction; on SQLite all other writers wait for it."""


class ExpiredRows(NamedTuple):
    """What to delete of a table. conditions: of the rows that have expired by a time."""

    model: type[Base]
    conditions: Callable[[datetime], Sequence[ColumnElement[bool]]]


def delete_batch(database: Database, expired: ExpiredRows, now: datetime) -> int:
    """Delete at most `BATCH_SIZE` rows and return how many.

    They are found without a lock, because that may take longer than deleting them. One that cannot
    be deleted is logged, and holds up no other.
    """
    key: Sequence[Any] = inspect(expired.model).primary_key
    query = select(*key).where(*expired.conditions(now)).limit(BATCH_SIZE)
    while True:
        with database.reads.connect() as connection:
            rows = connection.execute(query).all()
        if not rows:
            return 0
        try:
            return _delete(database, expired, now, rows)
        except IntegrityError:
            if number := sum(_delete_one(database, expired, now, row) for row in rows):
                return number
        query = query.where(tuple_(*key).not_in([tuple(row) for row in rows]))


def _delete(database: Database, expired: ExpiredRows, now: datetime, rows: Sequence[Any]) -> int:
    model = expired.model
    key: Sequence[Any] = inspect(model).primary_key
    is_found = tuple_(*key).in_([tuple(row) for row in rows])
    with database.session.begin() as db:
        conditions = expired.conditions(now)
        deleted = db.execute(delete_of(model).where(is_found, *conditions).returning(*key))
        return len(deleted.all())


def _delete_one(database: Database, expired: ExpiredRows, now: datetime, row: Any) -> int:
    try:
        return _delete(database, expired, now, [row])
    except IntegrityError as error:
        reason = " ".join(str(error.orig).split())
        log.warning("%s %s stays: %s", expired.model.__tablename__, tuple(row), reason)
        return 0
