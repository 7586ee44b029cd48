"""Locks users in the order of their ids, so that there are no deadlocks."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, select
from sqlalchemy.orm import Session

from ..db.statements import with_row_locks
from ..models import User, UserState


def lock_users(db: Session, condition: ColumnElement[bool], **values: Any) -> None:
    """Lock the users that meet a condition, in the order of their ids.

    Required before a change of the counters of several users, or of notifications.
    values: of the parameters of the condition.
    """
    if db.get_bind().dialect.name == "postgresql":
        db.execute(select_users_for_update(condition), values).all()


def lock_account(db: Session | Connection, user_id: int) -> None:
    """Lock a user before their login or their address is changed or taken away.

    Both have unique indexes: to change them waits for whoever refers to the user, and a weaker lock
    before could end in a deadlock with what the user writes at the time.
    """
    db.execute(select(User.id).where(User.id == user_id).with_for_update())


def lock_present(db: Session | Connection, user_ids: Collection[int]) -> set[int]:
    """Return which of these users are not deleted; nobody deletes them until the transaction ends.

    A deletion locks them as `lock_account` does, for which others wait here. Counters may change.
    """
    present = select(User.id).where(User.id.in_(user_ids), User.state != UserState.DELETED)
    in_order = present.order_by(User.id).with_for_update(read=True, key_share=True)
    return set(db.scalars(in_order))


def select_users_for_update(condition: ColumnElement[bool]) -> Select[Any]:
    """Return the SELECT that locks the users who meet a condition, in the order of their ids."""
    return with_row_locks(select(User.id).where(condition).order_by(User.id), User)
