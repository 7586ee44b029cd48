"""Deleting the texts of deleted posts for good: the post stays as a tombstone, without a body.

No post can be written with an empty body, so an empty one says that it was purged.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from ... import clock
from ...cache import topic_versions
from ...cache.invalidation import update_without_invalidation
from ...db.execution import SqlConnection
from ...db.statements import delete_of, update_of, with_row_locks
from ...errors import Conflict
from ...models import EventType, Reply, SweptPost, Topic
from ...models.topic import HAS_DELETED_BODY
from ...text.messages import Message
from .. import events
from . import post_versions

BATCH_SIZE = 50
"""Topics and replies in a transaction; on SQLite all other writers wait for it."""
_Post = type[Topic] | type[Reply]


def is_purged(db: Session, post: _Post, post_id: int) -> bool:
    """Return whether the text of a deleted post was deleted for good."""
    return db.scalar(select(post.id).where(post.id == post_id, post.body == "")) is not None


def check_restorable(db: Session, post: _Post, post_id: int) -> None:
    """Raise Conflict if the text of a deleted post was deleted for good."""
    if is_purged(db, post, post_id):
        raise Conflict(Message("The text was deleted for good, so it cannot be restored."))


def has_due(db: SqlConnection, before: datetime) -> bool:
    """Return whether `purge_some` has something to do, without a lock."""
    return any(db.scalar(_due(post, before).limit(1)) is not None for post in (Topic, Reply))


def purge_some(db: Session, before: datetime) -> int:
    """Empty posts that were deleted before a time; return how many, up to BATCH_SIZE of each kind.

    The title of a topic stays, for moderators.
    """
    topic_ids = db.scalars(_due(Topic, before).limit(BATCH_SIZE)).all()
    reply_ids = db.scalars(_due(Reply, before).limit(BATCH_SIZE)).all()
    of_replies = select(Reply.topic_id).where(Reply.id.in_(reply_ids))
    changed = select(Topic.id).where(Topic.id.in_([*topic_ids]) | Topic.id.in_(of_replies))
    locked = db.scalars(with_row_locks(changed.order_by(Topic.id), Topic)).all()
    now = clock.now()
    empty: dict[str, Any] = {"body": "", "body_html": ""}
    # Looked at again: one may have been restored, and deleted anew, before it was locked.
    is_topic, is_reply = Topic.id.in_(topic_ids), Reply.id.in_(reply_ids)
    is_due = _is_due(Topic, before)
    topics = update_of(Topic).where(is_topic, *is_due).values(empty).returning(Topic.id)
    purged_topics = db.scalars(topics).all()
    for topic_id in purged_topics:
        record_text_changed(db, now, Topic, topic_id, topic_id)
    is_due = _is_due(Reply, before)
    emptied = update_without_invalidation(Reply).where(is_reply, *is_due).values(empty)
    purged_replies = db.execute(emptied.returning(Reply.id, Reply.topic_id)).all()
    for reply_id, topic_id in purged_replies:
        record_text_changed(db, now, Reply, reply_id, topic_id)
    post_versions.delete_of_posts(
        db, topic_ids=purged_topics, reply_ids=[row.id for row in purged_replies]
    )
    for topic_id in locked:
        topic_versions.bump(db, topic_id)
    # A sweep that is taken back must not stop at them.
    db.execute(delete_of(SweptPost).where(SweptPost.reply_id.in_(reply_ids)))
    of_topics = SweptPost.topic_id.in_(topic_ids), SweptPost.reply_id.is_(None)
    db.execute(delete_of(SweptPost).where(*of_topics))
    return len(topic_ids) + len(reply_ids)


def record_text_changed(
    db: Session, now: datetime, post: _Post, post_id: int, topic_id: int
) -> None:
    """Record that the service has changed a text, for the search index and for webhooks."""
    if post is Reply:
        kind, ids = EventType.REPLY_UPDATED, {"topic_id": topic_id, "reply_id": post_id}
    else:
        kind, ids = EventType.TOPIC_UPDATED, {"topic_id": post_id}
    events.record(db, kind, now, actor_id=None, data=None, **ids)


def _is_due(post: _Post, before: datetime) -> tuple[Any, ...]:
    return text(HAS_DELETED_BODY), post.deleted_at <= before


def _due(post: _Post, before: datetime) -> Any:
    return select(post.id).where(*_is_due(post, before)).order_by(post.deleted_at, post.id)
