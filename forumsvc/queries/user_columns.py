"""Columns of users that several SELECTs have: of who is shown beside something else, and others."""

from typing import Any

from sqlalchemy import ColumnElement, and_

from ..models import User


def summary(user: Any = User, prefix: str = "user") -> tuple[ColumnElement[Any], ...]:
    """Return the columns of a user's summary, named `{prefix}_id`, `{prefix}_login` …

    user: the mapped class or an alias of it.
    """
    return (
        user.id.label(f"{prefix}_id"),
        user.login.label(f"{prefix}_login"),
        user.name.label(f"{prefix}_name"),
        user.avatar.label(f"{prefix}_avatar"),
    )


def is_unconfirmed() -> ColumnElement[bool]:
    """Return the column that says whether a user has an e-mail and never confirmed it."""
    condition = and_(User.email.is_not(None), User.email_confirmed_at.is_(None))
    return condition.label("is_unconfirmed")
