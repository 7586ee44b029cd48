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


def identity() -> tuple[ColumnElement[Any], ...]:
    """Return the columns by which `security.identity` says who calls.

    is_unconfirmed: whether the user has an e-mail and never confirmed it.
    """
    is_unconfirmed = and_(User.email.is_not(None), User.email_confirmed_at.is_(None))
    columns: tuple[Any, ...] = (
        User.id.label("user_id"),
        User.login,
        User.role,
        User.state,
        User.blocked_until,
        User.blocked_reason,
        User.created_at.label("user_created_at"),
        is_unconfirmed.label("is_unconfirmed"),
        User.awaits_approval,
    )
    return columns
