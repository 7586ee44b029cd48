"""Counts the groups of a user's notifications that have something unread, on every page.

Of a user who has very many unread notifications only some are looked at, so it costs no more.
"""

from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, bindparam, cast, func, literal_column, select

from ..db.execution import ReadConnection, rows
from ..models import Notification
from .notification_groups import group_key

MAX_EXAMINED = 1000
"""So many unread notifications are looked at."""


class UnreadGroups(NamedTuple):
    """How many groups have something unread. has_more: of more than were looked at."""

    groups_count: int
    has_more: bool


@cache
def _count() -> Any:
    is_own = Notification.user_id == bindparam("user_id")
    unread = select(Notification.id, Notification.type, Notification.topic_id)
    unread = unread.where(is_own, Notification.read_at.is_(None))
    # One more than is counted tells that there are more.
    of = unread.limit(literal_column(str(MAX_EXAMINED + 1))).subquery("unread").c
    size = func.count(of.id).label("size")
    grouped = select(size).group_by(of.type, group_key(of)).subquery("grouped").c
    examined = cast(func.coalesce(func.sum(grouped.size), 0), BigInteger)
    return select(func.count(grouped.size).label("groups_count"), examined.label("examined"))


def of_user(db: ReadConnection, user_id: int) -> UnreadGroups:
    """Return how many groups of a user's notifications have something unread, by one SELECT."""
    [result] = rows(db, _count(), {"user_id": user_id})
    return UnreadGroups(result.groups_count, result.examined > MAX_EXAMINED)
