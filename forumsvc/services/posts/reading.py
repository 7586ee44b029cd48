"""How far users have read: by their own word here, by opening a topic in `read_marker`."""

from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Insert, and_, bindparam, case, func, or_, select
from sqlalchemy.orm import Session

from ...db.base import BigId, UtcDateTime
from ...db.execution import ReadConnection, row, rows
from ...db.statements import (
    delete_of,
    execute,
    greatest,
    insert_of,
    insert_or_ignore,
    insert_row,
    update_of,
    with_row_locks,
)
from ...errors import Invalid
from ...models import ReadCutoff, Reply, Topic, TopicRead, User
from ...queries import nodes, topic_reads
from ...queries.user_locks import lock_users
from ...text.messages import Clause
from ..notifications import inbox


def begin(db: Session, user_id: int, topic_id: int) -> None:
    """Give a user a place in a topic, before its first reply, unless they have one."""
    insert_or_ignore(db, TopicRead, user_id=user_id, topic_id=topic_id)


def mark_topic(
    db: Session,
    user_id: int,
    now: datetime,
    topic_id: int,
    reply_id: int | None = None,
    *,
    force: bool = False,
) -> Any:
    """Mark a topic as read up to a reply, and what notifies the user of it up to there.

    reply_id: None for the newest one; force: set the place back to an older one, too. Return the
    place that the user has then, a row as of `topic_reads.unread_counts`. Raises Invalid for
    `reply_id` if the topic has no such reply.
    """
    [newest] = rows(db, _NEWEST, {"topic_id": topic_id})
    if reply_id is None:
        reply_id = newest.id or 0
    elif row(db, _REPLY, {"topic_id": topic_id, "reply_id": reply_id}) is None:
        raise Invalid("reply_id", Clause("the topic has no such reply"))
    if force:
        _set_place(db, user_id, now, topic_id, reply_id)
    else:
        values = {"user_id": user_id, "topic_id": topic_id}
        statement = upsert_place(db.get_bind().dialect.name, is_marked=True)
        execute(db, statement, {**values, "last_reply_id": reply_id, "read_at": now})
    place = topic_reads.of_topics(db, user_id, [topic_id])[topic_id]
    until = place.last_read_reply_id or 0
    inbox.mark_topic_read(db, user_id, now, topic_id, until=until, with_notices=False)
    return place


def mark_unread(db: Session, user_id: int, now: datetime, topic_id: int, reply_id: int) -> None:
    """Mark a reply of a topic and all after it as not read."""
    before = select(func.max(Reply.id)).where(Reply.topic_id == topic_id, Reply.id < reply_id)
    _set_place(db, user_id, now, topic_id, db.scalar(before) or 0)


def _set_place(db: Session, user_id: int, now: datetime, topic_id: int, reply_id: int) -> None:
    """Set the place of a user, also back, and behind what they marked at once."""
    [cutoff] = rows(db, _NEWEST_CUTOFF, {"user_id": user_id})
    values = {"user_id": user_id, "topic_id": topic_id, "last_reply_id": reply_id, "read_at": now}
    values |= {"after_cutoff_id": cutoff.id or 0, "forced_at": now}
    execute(db, _upsert_forced(db.get_bind().dialect.name), values)


def newest_reply_id(db: ReadConnection) -> int:
    """Return the id of the newest reply of all; 0 without one."""
    [newest] = rows(db, _NEWEST_OF_ALL, {})
    return newest.id or 0


def mark_all(
    db: Session,
    user_id: int,
    now: datetime,
    node_id: int | None = None,
    last_reply_id: int | None = None,
) -> None:
    """Mark all topics, or those of a node, as read, by one row, and what notifies of their replies.

    last_reply_id: up to this reply, None for the newest of all. Raises Invalid for `node_id` if
    there is no such node.
    """
    if node_id is not None and not nodes.exists(db, node_id, lock=True):
        raise Invalid("node_id", Clause("there is no such node"))
    lock_users(db, User.id == user_id)
    newest = newest_reply_id(db)
    last_reply_id = newest if last_reply_id is None else min(last_reply_id, newest)
    # One row a node, and one for all: a page that was opened long ago adds none.
    is_replaced = ReadCutoff.node_id.is_not_distinct_from(node_id)
    if node_id is None:
        is_replaced = or_(is_replaced, ReadCutoff.last_reply_id <= last_reply_id)
    replaced = delete_of(ReadCutoff).where(ReadCutoff.user_id == user_id, is_replaced)
    furthest = db.scalars(replaced.returning(ReadCutoff.last_reply_id)).all()
    last_reply_id = max([last_reply_id, *furthest])
    values = {"user_id": user_id, "node_id": node_id, "last_reply_id": last_reply_id}
    insert_row(db, ReadCutoff, created_at=now, **values)
    inbox.mark_replies_read(db, user_id, now, last_reply_id, node_id)


def keep_places(db: Session, old_node: int, new_node: int, topic_id: int | None = None) -> None:
    """Keep how far users have read topics that move from one node to another, before they do.

    A place may come from a cut-off in the old node, and must not come from one in the new node.
    topic_id: the topic that moves, None: all of the node.
    """
    moved: ColumnElement[bool]
    if topic_id is None:
        moved = TopicRead.topic_id.in_(select(Topic.id).where(Topic.node_id == old_node))
    else:
        moved = TopicRead.topic_id == topic_id
    users = select(ReadCutoff.user_id).where(ReadCutoff.node_id.in_([old_node, new_node]))
    chosen = moved, TopicRead.user_id.in_(users)
    # In the order in which `read_marker` writes places.
    locked = select(TopicRead.user_id).where(*chosen).order_by(*_PAIR)
    db.execute(with_row_locks(locked, TopicRead)).all()
    newest = select(func.max(ReadCutoff.id)).where(ReadCutoff.user_id == TopicRead.user_id)
    read = select(func.max(Reply.id)).where(
        Reply.topic_id == TopicRead.topic_id,
        Reply.id <= greatest(TopicRead.last_reply_id, topic_reads.cutoff(TopicRead, old_node)),
    )
    db.execute(
        update_of(TopicRead)
        .where(*chosen)
        .values(
            last_reply_id=func.coalesce(read.correlate(TopicRead).scalar_subquery(), 0),
            after_cutoff_id=newest.correlate(TopicRead).scalar_subquery(),
        )
    )


def _values(*names: str) -> dict[str, Any]:
    return {
        name: bindparam(name, type_=UtcDateTime if name.endswith("_at") else BigId)
        for name in names
    }


_PAIR: Any = (TopicRead.user_id, TopicRead.topic_id)


@cache
def upsert_place(dialect: str, *, is_marked: bool) -> Insert:
    """Return the INSERT of a place, which only ever moves one that is there forwards.

    is_marked: by the user's word; else because they opened the topic, which moves no place that
    they have set back since.

    Parameters: `user_id`, `topic_id`; `read_at`: when that was; `last_reply_id`: the last reply
    that was seen, 0 without one.
    """
    values = _values("user_id", "topic_id", "last_reply_id", "read_at")
    statement = insert_of(TopicRead, dialect).values(values)
    new: Any = statement.excluded
    is_further = new.last_reply_id > TopicRead.last_reply_id
    place = {
        "last_reply_id": case((is_further, new.last_reply_id), else_=TopicRead.last_reply_id),
        "read_at": new.read_at,
    }
    is_news = or_(is_further, TopicRead.read_at.is_(None))
    if not is_marked:
        was_later = or_(TopicRead.forced_at.is_(None), TopicRead.forced_at < new.read_at)
        is_news = and_(is_news, was_later)
    return statement.on_conflict_do_update(index_elements=_PAIR, set_=place, where=is_news)


@cache
def _upsert_forced(dialect: str) -> Insert:
    names = ("last_reply_id", "after_cutoff_id", "read_at", "forced_at")
    statement = insert_of(TopicRead, dialect).values(_values("user_id", "topic_id", *names))
    place = {name: getattr(statement.excluded, name) for name in names}
    return statement.on_conflict_do_update(index_elements=_PAIR, set_=place)


_NEWEST_OF_ALL: Any = select(func.max(Reply.id).label("id"))
_IN_TOPIC = Reply.topic_id == bindparam("topic_id", type_=BigId)
_NEWEST: Any = select(func.max(Reply.id).label("id")).where(_IN_TOPIC)
_REPLY: Any = select(Reply.id).where(_IN_TOPIC, Reply.id == bindparam("reply_id", type_=BigId))
_NEWEST_CUTOFF: Any = select(func.max(ReadCutoff.id).label("id")).where(
    ReadCutoff.user_id == bindparam("user_id", type_=BigId)
)
