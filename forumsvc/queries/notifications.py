"""Loads a user's notifications with all they refer to, in a constant number of statements."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import Row, Select, bindparam, select

from ..db.execution import ReadConnection, row, rows
from ..db.keyset_paging import Cursors, KeysetPage, PageRequest, SortOrder, load_page
from ..models import Notification, User
from ..text.ids import MAX_ID, known_ids
from . import nodes, replies, topics
from .rows import NodeRow, NotificationRow, ReplyListRow, TopicListRow, columns
from .user_columns import summary


@dataclass(frozen=True, slots=True)
class NotificationPage:
    """A page of notifications with their actors, and the rows that they refer to, by id."""

    notifications: Sequence[NotificationRow]
    topics: dict[int, TopicListRow]
    replies: dict[int, ReplyListRow]
    nodes: dict[int, NodeRow]
    cursors: Cursors


_NEWEST_FIRST = SortOrder("notifications", id=Notification.id)


@cache
def _page(newer: bool, keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys).where(Notification.user_id == bindparam("user_id"))
    if newer:
        ids = ids.where(Notification.id > bindparam("since"))
    page = keyset.apply(ids).subquery("page")
    return (
        select(*columns(Notification, NotificationRow), *summary())
        .join(page, page.c.id == Notification.id)
        .join(User, User.id == Notification.actor_id)
        .order_by(*keyset.order_by(page.c))
    )


def page_of(
    db: ReadConnection, user_id: int, page: PageRequest, since: int | None = None
) -> NotificationPage:
    """Return a page of a user's notifications, newest first.

    since: only those newer than the notification with this id, which may be deleted. The ids of
    a user's notifications rise in the order of commit: see `services.notifications.notify`.
    """
    values = {"user_id": user_id}
    if since is not None:
        values["since"] = min(since, MAX_ID)
    build = partial(_page, since is not None)
    result, cursors = load_page(db, page, _NEWEST_FIRST, build, values)
    return NotificationPage(
        result,
        topics.by_ids(db, known_ids(item.topic_id for item in result)),
        replies.by_ids(db, known_ids(item.reply_id for item in result)),
        nodes.by_ids(db, known_ids(item.node_id for item in result)),
        cursors,
    )


_UNREAD: Any = select(User.unread_count).where(User.id == bindparam("user_id"))


def unread_count(db: ReadConnection, user_id: int) -> int:
    """Return the number of a user's unread notifications."""
    count: int = rows(db, _UNREAD, {"user_id": user_id})[0].unread_count
    return count


_BY_ID: Any = select(Notification.id).where(
    Notification.id == bindparam("id"), Notification.user_id == bindparam("user_id")
)


def by_id(db: ReadConnection, notification_id: int, user_id: int) -> Row[Any] | None:
    """Return a notification if it belongs to the user, else None."""
    return row(db, _BY_ID, {"id": notification_id, "user_id": user_id})
