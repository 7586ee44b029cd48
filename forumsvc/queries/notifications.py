"""Reading one's own notifications, and all they speak of, in a constant number of statements."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import Row, Select, bindparam, select

from ..db.execution import ReadConnection, row, rows
from ..db.keyset_paging import Cursors, KeysetPage, PageRequest, SortOrder, load_page
from ..ids import MAX_ID
from ..models import Notification, User
from . import nodes, replies, topics
from .people import summary


@dataclass(frozen=True, slots=True)
class Told:
    """A page of notifications (with their actors) and the rows that they point to, by id.

    cursors: where the list goes on.
    """

    notifications: Sequence[Row[Any]]
    topics: dict[int, Row[Any]]
    replies: dict[int, Row[Any]]
    nodes: dict[int, Row[Any]]
    cursors: Cursors


_NEWEST_FIRST = SortOrder("notifications", id=Notification.id)


@cache
def _page(newer: bool, keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys).where(Notification.user_id == bindparam("user_id"))
    if newer:
        ids = ids.where(Notification.id > bindparam("since"))
    page = keyset.apply(ids).subquery("page")
    return (
        select(
            Notification.id,
            Notification.type,
            Notification.mention_type,
            Notification.topic_id,
            Notification.reply_id,
            Notification.node_id,
            Notification.read_at,
            Notification.created_at,
            Notification.updated_at,
            *summary(),
        )
        .join(page, page.c.id == Notification.id)
        .join(User, User.id == Notification.actor_id)
        .order_by(*keyset.order_by(page.c))
    )


def page_of(db: ReadConnection, user_id: int, page: PageRequest, since: int | None = None) -> Told:
    """Return a page of the user's notifications, newest first.

    since: only those newer than the one with this id, which need not be there any more. A user's
    ids rise in the order in which their notifications appear: see `services.notices`.
    """
    values = {"user_id": user_id}
    if since is not None:
        values["since"] = min(since, MAX_ID)
    build = partial(_page, since is not None)
    found, cursors = load_page(db, page, _NEWEST_FIRST, build, values)
    return Told(
        found,
        topics.some(db, _ids(one.topic_id for one in found)),
        replies.some(db, _ids(one.reply_id for one in found)),
        nodes.some(db, _ids(one.node_id for one in found)),
        cursors,
    )


def _ids(found: Iterable[int | None]) -> list[int]:
    return sorted({one for one in found if one is not None})


@cache
def _unread() -> Select[Any]:
    return select(User.unread_count).where(User.id == bindparam("user_id"))


def unread_count(db: ReadConnection, user_id: int) -> int:
    """Return how many of the user's notifications are unread."""
    count: int = rows(db, _unread(), {"user_id": user_id})[0].unread_count
    return count


@cache
def _one() -> Select[Any]:
    return select(Notification.id).where(
        Notification.id == bindparam("id"), Notification.user_id == bindparam("user_id")
    )


def one(db: ReadConnection, notification_id: int, user_id: int) -> Row[Any] | None:
    """Return the notification if it is the user's, or None."""
    return row(db, _one(), {"id": notification_id, "user_id": user_id})
