"""Loads the staff of the forum: its maintainers and admins."""

from collections.abc import Sequence
from typing import Any, Protocol

from sqlalchemy import select, text

from ..cache.page_cache import PageCache
from ..db.execution import ReadConnection, rows
from ..models import User, UserState
from ..models.user import STAFF
from .rows import UserSummaryRow
from .user_columns import summary

_BYTES_OF_ID = 40

# Written as in the partial index, or it is not used.
_STAFF: Any = (
    select(*summary(), User.role)
    .where(text(f"users.{STAFF}"), User.state == UserState.ACTIVE)
    .order_by(User.role, User.id)
)


class StaffRow(UserSummaryRow, Protocol):
    """A member of the staff."""

    role: str


def staff(db: ReadConnection) -> Sequence[StaffRow]:
    """Return the active maintainers and admins, the admins first."""
    return rows(db, _STAFF, {})


def staff_ids(db: ReadConnection, cache: PageCache, names_version: int) -> frozenset[int]:
    """Return the ids of the staff. names_version: changes with a user's role; of a row."""
    ids: frozenset[int] | None = cache.get("staff", (names_version,))
    if ids is None:
        ids = frozenset(item.user_id for item in staff(db))
        cache.put("staff", (names_version,), ids, _BYTES_OF_ID * len(ids))
    return ids
