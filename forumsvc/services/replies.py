"""Writing replies. Whoever calls has loaded the topic, and the reply, under a lock."""

from datetime import datetime
from typing import Any

from sqlalchemy import insert
from sqlalchemy.orm import Session

from ..models import Reply, Topic, User
from ..models.statements import change, lock_users
from . import counters, notices
from .authoring import Authoring


def create(
    db: Session, actor_id: int, now: datetime, authoring: Authoring, topic: Any, body: str
) -> int:
    """Write a reply to a visible topic and return its id."""
    text = authoring.write(db, body)
    reply_id = db.execute(
        insert(Reply)
        .values(
            topic_id=topic.id,
            user_id=actor_id,
            body=text.body,
            body_html=text.html,
            markup_version=text.version,
            created_at=now,
            updated_at=now,
        )
        .returning(Reply.id)
    ).scalar_one()
    by_other = int(actor_id != topic.user_id)
    db.execute(
        change(Topic)
        .where(Topic.id == topic.id)
        .values(
            replies_count=Topic.replies_count + 1,
            others_replies_count=Topic.others_replies_count + by_other,
            last_reply_user_id=actor_id,
            replied_at=now,
            last_active_at=now,
        )
    )
    notices.tell_of_new_reply(db, actor_id, now, text.mentioned, topic.id, topic.user_id, reply_id)
    told = notices.told_of(reply_id=reply_id)
    counters.count_post(db, actor_id, "replies_count", told=told)
    return reply_id


def edit(
    db: Session, actor_id: int, now: datetime, authoring: Authoring, reply: Any, body: str
) -> None:
    """Change the text of a reply."""
    if body == reply.body:
        return
    text = authoring.write(db, body, before=reply.body)
    db.execute(
        change(Reply)
        .where(Reply.id == reply.id)
        .values(body=text.body, body_html=text.html, markup_version=text.version, updated_at=now)
    )
    if _is_shown(reply):
        notices.tell_of_edit(db, actor_id, now, text.mentioned, reply.topic_id, reply.id)


def destroy(db: Session, now: datetime, reply: Any) -> None:
    """Delete a reply: a tombstone stays in its place."""
    if reply.deleted_at is not None:
        return
    db.execute(change(Reply).where(Reply.id == reply.id).values(deleted_at=now))
    by_other = int(reply.user_id != reply.topic_user_id)
    db.execute(
        change(Topic)
        .where(Topic.id == reply.topic_id)
        .values(
            replies_count=Topic.replies_count - 1,
            others_replies_count=Topic.others_replies_count - by_other,
        )
    )
    counters.settle_last_reply(db, reply.topic_id)
    is_author = User.id == reply.user_id
    lock_users(db, is_author | User.id.in_(notices.told_of(reply_id=reply.id)))
    if _is_shown(reply):
        db.execute(change(User).where(is_author).values(replies_count=User.replies_count - 1))
    notices.forget(db, reply_id=reply.id)


def _is_shown(reply: Any) -> bool:
    return reply.topic_deleted_at is None and reply.topic_banned_at is None
