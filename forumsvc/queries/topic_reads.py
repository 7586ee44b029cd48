"""Selects how far users have read topics, and what is unread.

A place is the id of a reply: it and all before it are read. Unread are the replies after the place
that are not deleted, not the reader's own, and not of people whom the reader blocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    or_,
    over,
    select,
)
from sqlalchemy.orm import aliased

from ..db.base import BigId
from ..db.execution import ReadConnection, rows
from ..db.statements import greatest
from ..models import ReadCutoff, Reply, Topic, TopicRead, User, UserBlock
from .rows import UserSummaryRow
from .user_columns import summary

USER_ID: Any = bindparam("user_id", type_=BigId)
"""The reader, in all statements of this module."""

_unread = aliased(Reply, name="unread")
_read = aliased(Reply, name="read")


def cutoff(place: Any, node_id: Any) -> Any:
    """Return the newest reply that a user marked as read with all others, in this node or all.

    place: the class of the row of `topic_reads`.
    """
    return (
        select(func.coalesce(func.max(ReadCutoff.last_reply_id), 0))
        .where(
            ReadCutoff.user_id == place.user_id,
            ReadCutoff.id > place.after_cutoff_id,
            or_(ReadCutoff.node_id.is_(None), ReadCutoff.node_id == node_id),
        )
        .correlate(place, Topic)
        .scalar_subquery()
    )


def own_places(*only: ColumnElement[bool], **more: Any) -> CTE:
    """Return the reader's places.

    only: conditions on `topic_reads`; more: further columns, by their names. Columns: `topic_id`,
    `last_reply_id`, `cutoff`.
    """
    # Read only where the reader has a cut-off in a node.
    node_id = select(Topic.node_id).where(Topic.id == TopicRead.topic_id).scalar_subquery()
    marked_at_once = cutoff(TopicRead, node_id.correlate(TopicRead))
    columns: list[Any] = [
        TopicRead.topic_id,
        TopicRead.last_reply_id,
        marked_at_once.label("cutoff"),
        *(column.label(name) for name, column in more.items()),
    ]
    places = select(*columns).where(TopicRead.user_id == USER_ID, *only)
    # Without a wall PostgreSQL begins with all topics, or looks for a cut-off once a reply.
    return places.cte("places").prefix_with("MATERIALIZED")


def _is_unread(place: Any) -> ColumnElement[bool]:
    """Return the condition on `_unread` for a place, a row of `own_places`."""
    blocked = select(UserBlock.target_id).where(UserBlock.user_id == USER_ID)
    return and_(
        _unread.topic_id == place.topic_id,
        _unread.id > greatest(place.last_reply_id, place.cutoff),
        _unread.user_id != USER_ID,
        _unread.deleted_at.is_(None),
        _unread.user_id.not_in(blocked),
    )


def has_unread(place: Any) -> ColumnElement[bool]:
    """Return the condition that the topic of a place, a row of `own_places`, has unread replies."""
    first: Any = select(_unread.id).where(_is_unread(place)).limit(literal_column("1"))
    # No EXISTS, which PostgreSQL would join: this looks into the index once for each place.
    found: ColumnElement[bool] = first.correlate_except(_unread).scalar_subquery().is_not(None)
    return found


def unread_counts(*only: ColumnElement[bool]) -> Select[Any]:
    """Return the SELECT of the reader's places: a row for each topic in which they have one.

    only: conditions on `topic_reads`. Columns: `topic_id`; `last_read_reply_id`, a reply of the
    topic or None; `first_unread_reply_id` or None; `unread_count`.
    """
    places = own_places(*only)
    first: Any = select(func.min(_unread.id)).where(_is_unread(places.c))
    first_id = first.correlate_except(_unread).scalar_subquery().label("first_unread_reply_id")
    # Where nothing is unread nothing is counted.
    place: Any = select(places, first_id).cte("with_first").prefix_with("MATERIALIZED").c
    count: Any = select(func.count()).where(_is_unread(place))
    count_or_none = count.where(place.first_unread_reply_id.is_not(None))
    before_cutoff = select(func.max(_read.id)).where(
        _read.topic_id == place.topic_id, _read.id <= place.cutoff
    )
    # Of what was marked at once the last reply is one of another topic.
    last_read = case(
        (
            place.cutoff > place.last_reply_id,
            func.coalesce(before_cutoff.scalar_subquery(), place.last_reply_id),
        ),
        else_=place.last_reply_id,
    )
    return select(
        place.topic_id,
        func.nullif(last_read, 0).label("last_read_reply_id"),
        place.first_unread_reply_id,
        count_or_none.correlate_except(_unread).scalar_subquery().label("unread_count"),
    )


def replies_after(db: ReadConnection, user_id: int, topic_id: int, reply_id: int) -> Any:
    """Return what others wrote in a topic after a reply, whatever was read of it.

    It has `replies_count`, and `first_id`, None without any.
    """
    values = {"user_id": user_id, "topic_id": topic_id, "reply_id": reply_id}
    [result] = rows(db, _replies_after(), values)
    return result


@cache
def _replies_after() -> Any:
    none: Any = literal_column("0")
    after = select(
        bindparam("topic_id", type_=BigId).label("topic_id"),
        bindparam("reply_id", type_=BigId).label("last_reply_id"),
        none.label("cutoff"),
    ).subquery("after")
    columns = func.count().label("replies_count"), func.min(_unread.id).label("first_id")
    return select(*columns).select_from(after).join(_unread, _is_unread(after.c))


def cutoff_times(db: ReadConnection, user_id: int) -> dict[int | None, datetime]:
    """Return when a user last marked all topics as read, by the node, None for all nodes."""
    found = rows(db, _CUTOFF_TIMES, {"user_id": user_id})
    return {cutoff.node_id: cutoff.created_at for cutoff in found}


_CUTOFF_TIMES: Any = (
    select(ReadCutoff.node_id, func.max(ReadCutoff.created_at).label("created_at"))
    .where(ReadCutoff.user_id == USER_ID)
    .group_by(ReadCutoff.node_id)
)


_IN_TOPICS = TopicRead.topic_id.in_(bindparam("ids", type_=BigId, expanding=True))


@cache
def _of_topics() -> Select[Any]:
    return unread_counts(_IN_TOPICS)


def of_topics(db: ReadConnection, user_id: int, topic_ids: Sequence[int]) -> dict[int, Any]:
    """Return a user's places in these topics, rows as of `unread_counts`, by the topic's id."""
    found = rows(db, _of_topics(), {"user_id": user_id, "ids": topic_ids}) if topic_ids else ()
    return {place.topic_id: place for place in found}


MAX_AUTHORS = 3


@dataclass(frozen=True, slots=True)
class UnreadReplies:
    """The unread replies of a topic, at least one.

    first_id: the oldest one; authors: different ones, the newest `MAX_AUTHORS`, newest first;
    authors_count: of all.
    """

    count: int
    first_id: int
    authors: Sequence[UserSummaryRow]
    authors_count: int


@cache
def _unread_replies() -> Select[Any]:
    """Return the SELECT of the newest authors of unread replies, each with the counts."""
    places = own_places(_IN_TOPICS).c
    numbers = (
        func.count().label("unread_count"),
        func.min(_unread.id).label("first_id"),
        func.max(_unread.id).label("last_id"),
    )
    grouped = places.topic_id, _unread.user_id
    of = select(*grouped, *numbers).where(_is_unread(places)).group_by(*grouped).subquery("of").c
    of_topic = partial(over, partition_by=of.topic_id)
    ranked = select(
        of.topic_id,
        of.user_id.label("author_id"),
        of_topic(func.row_number(), order_by=of.last_id.desc()).label("rank"),
        of_topic(func.count()).label("authors_count"),
        cast(of_topic(func.sum(of.unread_count)), BigInteger).label("unread_count"),
        of_topic(func.min(of.first_id)).label("first_id"),
    ).subquery("ranked")
    return (
        select(*(column for column in ranked.c if column.key != "author_id"), *summary())
        .join_from(ranked, User, User.id == ranked.c.author_id)
        .where(ranked.c.rank <= literal_column(str(MAX_AUTHORS)))
        .order_by(ranked.c.topic_id, ranked.c.rank)
    )


def unread_replies(
    db: ReadConnection, user_id: int, topic_ids: Sequence[int]
) -> dict[int, UnreadReplies]:
    """Return what is unread in those of these topics in which a user has unread replies, by id."""
    values = {"user_id": user_id, "ids": topic_ids}
    found = rows(db, _unread_replies(), values) if topic_ids else ()
    return {
        topic_id: UnreadReplies(
            newest.unread_count, newest.first_id, [newest, *others], newest.authors_count
        )
        for topic_id, (newest, *others) in groupby(found, attrgetter("topic_id"))
    }
