"""Locking users: in one order, so that none wait in a ring."""

from typing import Any

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import Session

from ..db.statements import locking
from ..models import User


def lock_users(db: Session, condition: ColumnElement[bool], **values: Any) -> None:
    """Lock the users that meet `condition` in the order of their ids, so that none wait in a ring.

    values: of the parameters that the condition leaves open.

    Whoever changes counters of several users, or a user's notifications, comes through here first.
    """
    if db.get_bind().dialect.name == "postgresql":
        db.execute(locking_users(condition), values).all()


def locking_users(condition: ColumnElement[bool]) -> Select[Any]:
    """Return the SELECT that locks the users who meet `condition`, in the order of their ids."""
    return locking(select(User.id).where(condition).order_by(User.id), User)
