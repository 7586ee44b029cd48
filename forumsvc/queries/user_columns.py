"""The columns of a user who is shown beside something else, such as an author."""

from typing import Any

from sqlalchemy import ColumnElement

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
