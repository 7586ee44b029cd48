"""Loads the staff of the forum: its maintainers and admins."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import select, text

from ..cache.page_cache import PageCache
from ..db.execution import ReadConnection, rows
from ..models import User, UserState, state_at
from ..models.user import IS_MODERATOR
from .rows import UserSummaryRow
from .user_columns import summary

_BYTES_OF_ROW = 600

# Written as in the partial index, or it is not used.
_STAFF: Any = (
    select(*summary(), User.role, User.state, User.blocked_until)
    .where(text(f"users.{IS_MODERATOR}"), User.state != UserState.DELETED)
    .order_by(User.role, User.id)
)


class StaffRow(UserSummaryRow, Protocol):
    """A member of the staff, perhaps a blocked one."""

    role: str
    state: str
    blocked_until: datetime | None


def staff(db: ReadConnection, now: datetime) -> Sequence[StaffRow]:
    """Return the maintainers and admins who are active now, the admins first."""
    return [row for row in rows(db, _STAFF, {}) if _is_active(row, now)]


def staff_ids(
    db: ReadConnection, cache: PageCache, names_version: int, now: datetime
) -> tuple[int, ...]:
    """Return the ids of those whom `staff` returns, in the same order.

    names_version: of a row; it changes with a user's role, and with the state of the staff.
    """
    found: Sequence[StaffRow] | None = cache.get("staff", (names_version,))
    if found is None:
        found = rows(db, _STAFF, {})
        cache.put("staff", (names_version,), found, _BYTES_OF_ROW * len(found))
    return tuple(row.user_id for row in found if _is_active(row, now))


def _is_active(row: StaffRow, now: datetime) -> bool:
    return state_at(row.state, row.blocked_until, now) == UserState.ACTIVE
