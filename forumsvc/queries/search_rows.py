"""The rows of what a search finds, as they are at that moment."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from ..db.execution import rows
from ..markup.text_content import text_content
from ..models import Reply, Topic, UserBlock
from ..search.ranking import Found


def topic_states(db: Connection, ids: Sequence[int]) -> dict[int, Row[Any]]:
    """Return what permission and rank of topics depend on, by id."""
    return {row.id: row for row in rows(db, _TOPIC_STATES, {"ids": ids})}


def reply_states(db: Connection, ids: Sequence[int]) -> Sequence[Row[Any]]:
    """Return what permission and rank of replies depend on."""
    return rows(db, _REPLY_STATES, {"ids": ids}) if ids else []


def texts(db: Connection, posts: Sequence[Found]) -> Iterator[str]:
    """Yield the plain texts of posts."""
    topic_ids = [post.topic_id for post in posts if post.reply_id is None]
    reply_ids = [post.reply_id for post in posts if post.reply_id is not None]
    of_topics, of_replies = (
        {row.id: row.body_html for row in rows(db, statement, {"ids": ids})} if ids else {}
        for statement, ids in ((_TOPIC_TEXTS, topic_ids), (_REPLY_TEXTS, reply_ids))
    )
    for post in posts:
        html = of_topics[post.topic_id] if post.reply_id is None else of_replies[post.reply_id]
        yield text_content(html)


def blocked_by(db: Connection, viewer_id: int | None) -> frozenset[int]:
    if viewer_id is None:
        return frozenset()
    result = rows(db, _BLOCKED_IDS, {"viewer_id": viewer_id})
    return frozenset(row.target_id for row in result)


_IDS: Any = bindparam("ids", expanding=True)
_TOPIC_STATES: Any = select(
    *(Topic.id, Topic.user_id, Topic.node_id, Topic.title, Topic.created_at),
    *(Topic.likes_count, Topic.replies_count, Topic.excellent_at),
    *(Topic.closed_at, Topic.banned_at, Topic.deleted_at),
).where(Topic.id.in_(_IDS))
_REPLY_STATES: Any = select(
    *(Reply.id, Reply.topic_id, Reply.user_id),
    *(Reply.likes_count, Reply.created_at, Reply.deleted_at),
).where(Reply.id.in_(_IDS))
_BLOCKED_IDS: Any = select(UserBlock.target_id).where(UserBlock.user_id == bindparam("viewer_id"))
_TOPIC_TEXTS: Any = select(Topic.id, Topic.body_html).where(Topic.id.in_(_IDS))
_REPLY_TEXTS: Any = select(Reply.id, Reply.body_html).where(Reply.id.in_(_IDS))
