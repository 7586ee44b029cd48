"""Computes the expected value of each counter from the rows that it counts.

Counters count what everyone can see (`docs/decisions/12-counters-are-columns.md`). The SELECTs
group and join: each reads a table that is counted once, and never looks up single rows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Integer,
    Select,
    Subquery,
    and_,
    case,
    func,
    or_,
    select,
)
from sqlalchemy.orm import aliased

from ..db.execution import SqlConnection
from ..models import (
    Base,
    Favorite,
    Node,
    Notification,
    Reply,
    ReplyLike,
    Report,
    Review,
    Topic,
    TopicLike,
    User,
    UserFollow,
)
from .topics import VISIBLE

VISIBLE_TOPIC = and_(*VISIBLE)
VISIBLE_REPLY = Reply.deleted_at.is_(None)


@dataclass(frozen=True, slots=True)
class Recount:
    """The counters of one table.

    model: the table; source: the table, joined with the counts;
    expected: the expression of the expected value, by the name of the counter's column.
    """

    model: type[Base]
    source: FromClause
    expected: Mapping[str, Any]

    @property
    def id(self) -> Any:
        """The primary key of the table."""
        return self.model.__table__.c.id

    def is_wrong(self, name: str) -> ColumnElement[bool]:
        """Return the condition that the counter `name` differs from its expected value."""
        return self._stored(name).is_distinct_from(self.expected[name])

    def select_counts(self) -> Select[Any]:
        """Return the SELECT of the number of rows, and of wrong ones per counter.

        Its columns are `rows` and the names of the counters.
        """
        wrong = [
            func.coalesce(func.sum(case((self.is_wrong(name), 1), else_=0)), 0).label(name)
            for name in self.expected
        ]
        return select(func.count().label("rows"), *wrong).select_from(self.source)

    def select_wrong_rows(self) -> Select[Any]:
        """Return the SELECT of the rows with a wrong counter, by id.

        Its columns are `id`, and for each counter `stored_<name>` and `expected_<name>`.
        """
        pairs = [
            column
            for name, expected in self.expected.items()
            for column in (
                self._stored(name).label(f"stored_{name}"),
                expected.label(f"expected_{name}"),
            )
        ]
        wrong = or_(*(self.is_wrong(name) for name in self.expected))
        return select(self.id, *pairs).select_from(self.source).where(wrong).order_by(self.id)

    def _stored(self, name: str) -> ColumnElement[Any]:
        column: ColumnElement[Any] = self.model.__table__.c[name]
        return column


@dataclass(frozen=True, slots=True)
class WrongCounter:
    """A counter whose stored value is not the expected one."""

    table: str
    id: int
    column: str
    stored: Any
    expected: Any


def wrong(db: SqlConnection, limit: int | None = None) -> list[WrongCounter]:
    """Return the wrong counters of the first `limit` wrong rows of each table, by id.

    db: needs one snapshot for all its SELECTs, unless nobody writes.
    """
    return [item for recount in recounts() for item in _wrong_of(db, recount, limit)]


def _wrong_of(db: SqlConnection, recount: Recount, limit: int | None) -> Iterator[WrongCounter]:
    for row in db.execute(recount.select_wrong_rows().limit(limit)).mappings():
        for name in recount.expected:
            stored, expected = row[f"stored_{name}"], row[f"expected_{name}"]
            if stored != expected:
                yield WrongCounter(recount.model.__tablename__, row["id"], name, stored, expected)


@cache
def orphans() -> Select[Any]:
    """Return the SELECT of the ids of notifications that refer to something hidden or deleted."""
    return select(Notification.id).select_from(_notified()).where(_is_orphan())


@cache
def recounts() -> tuple[Recount, ...]:
    """Return the counters of every table with counters."""
    return (
        _recount(Review, reports=_count(Report.review_id)),
        _recount(Reply, likes=_count(ReplyLike.reply_id)),
        _topics(),
        _recount(Node, topics=_count(Topic.node_id, where=VISIBLE_TOPIC)),
        _users(),
    )


def _recount(model: type[Base], **counts: Subquery) -> Recount:
    """Return the counters of a table. counts: `topics` is that of the column `topics_count`."""
    expected = {f"{name}_count": _counted(one) for name, one in counts.items()}
    return Recount(model, _joined(model, *counts.values()), expected)


def _users() -> Recount:
    return _recount(
        User,
        topics=_count(Topic.user_id, where=VISIBLE_TOPIC),
        replies=_count(
            Reply.user_id,
            source=_table(Reply).join(_table(Topic), Reply.topic_id == Topic.id),
            where=and_(VISIBLE_REPLY, VISIBLE_TOPIC),
        ),
        following=_count(UserFollow.user_id),
        followers=_count(UserFollow.target_id),
        favorites=_count(
            Favorite.user_id,
            source=_table(Favorite).join(_table(Topic), Favorite.topic_id == Topic.id),
            where=VISIBLE_TOPIC,
        ),
        unread=_count(
            Notification.user_id,
            source=_notified(),
            where=and_(Notification.read_at.is_(None), ~_is_orphan()),
        ),
    )


def _topics() -> Recount:
    likes = _count(TopicLike.topic_id)
    author = aliased(Topic)
    replies = (
        select(
            Reply.topic_id.label("owner_id"),
            func.count().label("number"),
            func.sum(case((Reply.user_id != author.user_id, 1), else_=0)).label("others"),
            func.max(Reply.id).label("last_id"),
        )
        .join(author, Reply.topic_id == author.id)
        .where(VISIBLE_REPLY)
        .group_by(Reply.topic_id)
        .subquery()
    )
    last = aliased(Reply)
    source = _joined(Topic, likes, replies).outerjoin(last, replies.c.last_id == last.id)
    return Recount(
        Topic,
        source,
        {
            "replies_count": _counted(replies),
            "others_replies_count": func.coalesce(replies.c.others, 0, type_=Integer),
            "likes_count": _counted(likes),
            "last_reply_user_id": last.user_id,
            "replied_at": last.created_at,
            "last_active_at": func.coalesce(last.created_at, Topic.created_at),
        },
    )


def _notified() -> FromClause:
    """Return the notifications, joined with the topic and the reply that they refer to."""
    return (
        _table(Notification)
        .outerjoin(_table(Topic), Notification.topic_id == Topic.id)
        .outerjoin(_table(Reply), Notification.reply_id == Reply.id)
    )


def _is_orphan() -> ColumnElement[bool]:
    hidden_topic = or_(Topic.id.is_(None), ~VISIBLE_TOPIC)
    deleted_reply = or_(Reply.id.is_(None), ~VISIBLE_REPLY)
    return or_(
        and_(Notification.topic_id.is_not(None), hidden_topic),
        and_(Notification.reply_id.is_not(None), deleted_reply),
    )


def _count(
    owner: Any, *, source: FromClause | None = None, where: ColumnElement[bool] | None = None
) -> Subquery:
    """Return the SELECT of the number of rows per owner: `owner_id`, `number`."""
    statement = select(owner.label("owner_id"), func.count().label("number")).group_by(owner)
    if source is not None:
        statement = statement.select_from(source)
    if where is not None:
        statement = statement.where(where)
    return statement.subquery()


def _counted(counts: Subquery) -> ColumnElement[int]:
    return func.coalesce(counts.c.number, 0, type_=Integer)


def _joined(model: type[Base], *counts: Subquery) -> FromClause:
    source: FromClause = _table(model)
    for count in counts:
        source = source.outerjoin(count, count.c.owner_id == model.__table__.c.id)
    return source


def _table(model: type[Base]) -> FromClause:
    return model.__table__
