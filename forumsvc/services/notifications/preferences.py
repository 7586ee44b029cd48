"""Of which kinds of notifications a user wants none."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, String, literal, select
from sqlalchemy.orm import Session

from ...cache.invalidation import update_columns
from ...db.execution import SqlConnection
from ...models import User
from ...models.notification import NOTIFICATION_KINDS

OPTIONAL = {
    type_: kind.choice for type_, kind in NOTIFICATION_KINDS.items() if kind.choice is not None
}
"""The types that one may do without, with the words for them in the settings."""


def wants(type_: Any) -> ColumnElement[bool]:
    """Return the condition for users who want notifications of a type: a column or parameter."""
    pattern = literal("% ", String).concat(type_).concat(literal(" %", String))
    return User.unwanted_notifications.not_like(pattern)


def unwanted_of(db: SqlConnection, user_id: int) -> list[str]:
    """Return the types of which a user wants none."""
    result = db.execute(select(User.unwanted_notifications).where(User.id == user_id))
    return str(result.scalar_one()).split()


def set_unwanted(db: Session, user_id: int, types: Collection[str]) -> None:
    """Keep the types of which a user wants none; what was notified before stays."""
    unwanted = [type_ for type_ in OPTIONAL if type_ in types]
    text = f" {' '.join(unwanted)} " if unwanted else ""
    db.execute(update_columns(User, unwanted_notifications=text).where(User.id == user_id))
