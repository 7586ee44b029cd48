"""Loads a user's notifications with all they refer to, in a constant number of statements."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, bindparam, or_, select

from ..cache import versions
from ..db.execution import ReadConnection, row, rows
from ..db.keyset_paging import (
    Cursors,
    KeysetPage,
    PageRequest,
    PageRows,
    SortOrder,
    load_page,
)
from ..models import Node, Notification, Reply, Topic, User, UserBlock
from ..text.ids import MAX_ID, known_ids
from . import nodes, replies, topics, users
from .rows import NodeRow, NotificationRow, ReplyDetailRow, TopicListRow, UserSummaryRow, columns


@dataclass(frozen=True, slots=True)
class NotificationPage:
    """A page of notifications, and the rows that they refer to, by id.

    blocked: whom of the authors of these topics and replies the user blocks.
    """

    notifications: Sequence[NotificationRow]
    actors: dict[int, UserSummaryRow]
    topics: dict[int, TopicListRow]
    replies: dict[int, ReplyDetailRow]
    nodes: dict[int, NodeRow]
    blocked: frozenset[int]
    cursors: Cursors


class Filter(NamedTuple):
    """Which notifications are listed: those for which all holds that is given.

    since: newer than the one with this id, which may be deleted; types: of one of these kinds;
    is_unread: not read yet; topic_id: about this topic.
    """

    since: int | None = None
    types: tuple[str, ...] = ()
    is_unread: bool = False
    topic_id: int | None = None

    @property
    def shape(self) -> "Shape":
        """What the SELECT depends on."""
        has_topic = self.topic_id is not None
        return Shape(self.since is not None, len(self.types), self.is_unread, has_topic)

    def parameters(self, user_id: int) -> dict[str, Any]:
        """Return the parameters of the SELECT for a user's notifications."""
        values: dict[str, Any] = {"user_id": user_id}
        values |= {f"type_{at}": name for at, name in enumerate(self.types)}
        if self.since is not None:
            values["since"] = min(self.since, MAX_ID)
        if self.topic_id is not None:
            values["topic_id"] = self.topic_id
        return values


class Shape(NamedTuple):
    """A filter without its values: one SELECT serves all filters of a shape.

    types: how many there are.
    """

    has_since: bool
    types: int
    is_unread: bool
    has_topic: bool

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions on a user's notifications, with `Filter.parameters`."""
        chosen: list[ColumnElement[bool]] = [Notification.user_id == bindparam("user_id")]
        if self.has_since:
            chosen.append(Notification.id > bindparam("since"))
        if self.types:
            names: list[Any] = [bindparam(f"type_{at}") for at in range(self.types)]
            chosen.append(or_(*(Notification.type == name for name in names)))
        if self.is_unread:
            chosen.append(Notification.read_at.is_(None))
        if self.has_topic:
            chosen.append(Notification.topic_id == bindparam("topic_id"))
        return chosen


_NEWEST_FIRST = SortOrder("notifications", id=Notification.id)

# A reply has the version of its topic. A node's count of topics changes without the names.
_VERSIONS: tuple[Any, ...] = (
    Topic.version.label("topic_version"),
    Node.topics_count.label("node_topics_count"),
    versions.display_names_version(),
)


@cache
def _page(shape: Shape, keyset: KeysetPage, *, with_blocks: bool) -> Select[Any]:
    own = columns(Notification, NotificationRow)
    page = keyset.apply(select(*own).where(*shape.conditions())).subquery("page").c
    return (
        select(*(page[column.key] for column in own), *_VERSIONS)
        .add_columns(*(_blocks(page) if with_blocks else ()))
        .outerjoin(Topic, Topic.id == page.topic_id)
        .outerjoin(Node, Node.id == page.node_id)
        .order_by(*keyset.order_by(page))
    )


def _blocks(page: Any) -> tuple[ColumnElement[bool], ...]:
    """Return the columns that say whether the user blocks the author of the topic, or reply."""
    replier = select(Reply.user_id).where(Reply.id == page.reply_id).scalar_subquery()
    # Not of each row: the database reads it once.
    blocked = select(UserBlock.target_id).where(UserBlock.user_id == bindparam("user_id"))
    return (
        Topic.user_id.in_(blocked).label("blocks_author"),
        replier.in_(blocked).label("blocks_replier"),
    )


def rows_of(
    db: ReadConnection, user_id: int, page: PageRequest, only: Filter, *, with_blocks: bool
) -> PageRows:
    """Return the rows of a page of a user's notifications, newest first, for `page_of`.

    with_blocks: whether the user blocks anybody. No two pages that differ have equal rows: they
    have the versions of what they refer to. The ids of a user's notifications rise in the order
    of commit: see `services.notifications.notify`.
    """
    build = partial(_page, only.shape, with_blocks=with_blocks)
    return load_page(db, page, _NEWEST_FIRST, build, only.parameters(user_id))


def page_of(db: ReadConnection, listed: PageRows) -> NotificationPage:
    """Return a page of notifications with all that they refer to. listed: its `rows_of`."""
    result: Sequence[Any] = listed.rows
    its_topics = topics.by_ids(db, known_ids(item.topic_id for item in result))
    its_replies = replies.details_by_ids(db, known_ids(item.reply_id for item in result))
    # Most of the actors have written what the notifications refer to.
    authors = {post.user_id: post for post in (*its_topics.values(), *its_replies.values())}
    others = known_ids(item.actor_id for item in result if item.actor_id not in authors)
    actors: dict[int, UserSummaryRow] = {**authors, **users.by_ids(db, others)}
    return NotificationPage(
        [item for item in result if item.actor_id in actors],
        actors,
        its_topics,
        its_replies,
        _nodes(db, result),
        _blocked(result, its_topics, its_replies),
        listed.cursors,
    )


def _blocked(
    result: Sequence[Any],
    its_topics: dict[int, TopicListRow],
    its_replies: dict[int, ReplyDetailRow],
) -> frozenset[int]:
    if not result or not hasattr(result[0], "blocks_author"):
        return frozenset()
    posts = [its_topics.get(item.topic_id) for item in result if item.blocks_author]
    answers = [its_replies.get(item.reply_id) for item in result if item.blocks_replier]
    return frozenset(post.user_id for post in (*posts, *answers) if post is not None)


def _nodes(db: ReadConnection, result: Sequence[Any]) -> dict[int, NodeRow]:
    # Their counts are those of the rows: one that rises meanwhile, and falls again, has no version.
    counts = {item.node_id: item.node_topics_count for item in result}
    loaded: dict[int, Any] = nodes.by_ids(db, known_ids(counts))
    return {id_: node._replace(topics_count=counts[id_]) for id_, node in loaded.items()}


_TOPIC_BODIES: Any = select(Topic.id, Topic.body).where(
    Topic.id.in_(bindparam("ids", expanding=True))
)


def topic_bodies(db: ReadConnection, ids: Sequence[int]) -> dict[int, str]:
    """Return the Markdown source of the topics with these ids, by id."""
    return {item.id: item.body for item in rows(db, _TOPIC_BODIES, {"ids": ids})} if ids else {}


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
