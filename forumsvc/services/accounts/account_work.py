"""What the worker has to do for an account that is erased or renamed, as a list of small steps.

A step finds rows without a lock and changes a few of them in a transaction; where it has come to
stands in the job. So a killed process goes on, and nobody waits for long.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, case, inspect, select, tuple_
from sqlalchemy.orm import Session

from ...db.base import Base
from ...db.execution import SqlConnection
from ...db.statements import delete_of

SCANNED = 2_000
"""Rows that are looked at at once, where no index finds those that matter."""
DELETED = 500
"""Rows that are deleted in a transaction."""
_FOUND = 100


class AccountTask(StrEnum):
    """What is done with an account."""

    ERASE = "erase"
    RENAME = "rename"


@dataclass(frozen=True, slots=True)
class Account:
    """The order, and what its steps need.

    login: the former one; new_login: the one that it has got; addresses: the former email
    addresses; joined: when the account was made; since: when the work was ordered; site_url,
    user_url, max_title, max_body: the settings; removed: the line in place of a text.
    """

    user_id: int
    login: str
    new_login: str
    addresses: Sequence[str]
    joined: datetime
    since: datetime
    site_url: str
    user_url: str
    max_title: int
    max_body: int
    removed: str


class Found(NamedTuple):
    """Rows to change, by their keys, and behind which id to go on; None: nothing is behind."""

    keys: Sequence[Any]
    next_id: int | None


Change = Callable[[Session, datetime, Account, Sequence[Any]], Sequence[str] | None]


class Step(NamedTuple):
    """A part of the work.

    find: gets the account and the last id; change: changes the rows of some of the keys, and may
    return the names of photos whose files are to be removed after the commit; size: how many rows
    in a transaction.
    """

    find: Callable[[SqlConnection, Account, int], Found]
    change: Change
    size: int


Condition = Callable[[Account], ColumnElement[bool]]


def by_index(model: Any, condition: Condition) -> Callable[..., Found]:
    """Return what finds rows with an id in its order, by an index of the condition and the id."""

    def find(db: SqlConnection, account: Account, last_id: int) -> Found:
        ids = select(model.id).where(condition(account), model.id > last_id).order_by(model.id)
        keys = db.scalars(ids.limit(_FOUND)).all()
        return Found(keys, keys[-1] if len(keys) == _FOUND else None)

    return find


def by_scan(model: Any, condition: Condition) -> Callable[..., Found]:
    """Return what finds rows with an id by looking at all of them, SCANNED at a time."""

    def find(db: SqlConnection, account: Account, last_id: int) -> Found:
        is_found = case((condition(account), 1), else_=0)
        looked = select(model.id, is_found).where(model.id > last_id).order_by(model.id)
        rows = db.execute(looked.limit(SCANNED)).all()
        keys = [row[0] for row in rows if row[1]]
        return Found(keys, rows[-1][0] if len(rows) == SCANNED else None)

    return find


def deletion(model: type[Base], condition: Condition) -> Step:
    """Return the step that deletes all rows that meet a condition."""
    key: Sequence[Any] = inspect(model).primary_key

    def find(db: SqlConnection, account: Account, last_id: int) -> Found:
        rows = db.execute(select(*key).where(condition(account)).limit(DELETED)).all()
        return Found([tuple(row) for row in rows], 0 if len(rows) == DELETED else None)

    def change(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
        db.execute(delete_of(model).where(tuple_(*key).in_(keys)))

    return Step(find, change, DELETED)


Steps = Mapping[str, Step]
"""The steps of an order in their sequence, by the names that jobs have for them."""
