"""Creating, editing and deleting replies.

The caller has locked the topic and the reply, and has rendered the text before that.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Integer, Row, bindparam, literal, select
from sqlalchemy.orm import Session

from ...cache import topic_versions
from ...cache.invalidation import update_without_invalidation
from ...db.base import BigId, UtcDateTime
from ...db.statements import at_least_zero, execute, insert_row, update_of
from ...models import EventType, Notification, Reply, Topic, User
from ...queries import replies
from ...queries.post_versions import Post
from ...queries.rows import ReplyRow, TopicStateRow
from ...queries.user_locks import lock_users
from ...text.text_rules import with_lf
from .. import events
from ..moderation import actions
from ..moderation.actions import Action
from ..notifications import notify, notify_jobs, recipients
from ..notifications.new_post import notify_and_count
from . import counters, post_versions, purge, reading
from .authoring import Authoring, RenderedPost
from .writers import check_writer


def create(
    db: Session,
    actor_id: int,
    now: datetime,
    authoring: Authoring,
    topic: TopicStateRow,
    body: RenderedPost,
) -> ReplyRow:
    """Create a reply to a visible topic and return it, as `queries.replies.by_id` does."""
    text = authoring.write(db, actor_id, body)
    values = {
        "topic_id": topic.id,
        "user_id": actor_id,
        "body": text.body,
        "body_html": text.html,
        "markup_version": text.version,
        "created_at": now,
        "updated_at": now,
    }
    insert_row(db, Reply, **values)
    by_other = int(actor_id != topic.user_id)
    execute(db, _UPDATE_TOPIC, {"topic": topic.id, "by": actor_id, "at": now, "other": by_other})
    reply = replies.created(db)
    reading.begin(db, actor_id, topic.id)
    inline = authoring.inline_recipients
    notify_and_count(db, actor_id, now, text.mentioned, reply.id, inline, topic)
    ids: dict[str, Any] = {"topic_id": topic.id, "reply_id": reply.id}
    events.record(db, EventType.REPLY_CREATED, now, actor_id=actor_id, **ids)
    return reply


_AT: Any = bindparam("at", type_=UtcDateTime)
_UPDATE_TOPIC: Any = (
    update_of(Topic)
    .where(Topic.id == bindparam("topic", type_=BigId))
    .values(
        replies_count=Topic.replies_count + 1,
        others_replies_count=Topic.others_replies_count + bindparam("other", type_=Integer),
        last_reply_user_id=bindparam("by", type_=BigId),
        replied_at=_AT,
        last_active_at=_AT,
    )
)


def edit(
    db: Session,
    actor_id: int,
    now: datetime,
    authoring: Authoring,
    reply: ReplyRow,
    body: RenderedPost,
) -> None:
    """Change the text of a reply. Raises Forbidden, Invalid."""
    if body.body == with_lf(reply.body):
        return
    check_writer(db, actor_id, now)
    before = reply.body, reply.body_html
    authoring.rules.check_edited_body(db, actor_id, before, body.body, body.text)
    text = authoring.write(db, actor_id, body, before=reply.body_html)
    values = post_versions.keep(db, actor_id, now, Post(Reply, reply.id), reply)
    values |= {"body": text.body, "body_html": text.html, "markup_version": text.version}
    db.execute(update_of(Reply).where(Reply.id == reply.id).values(updated_at=now, **values))
    topic_versions.bump(db, reply.topic_id)
    _record(db, EventType.REPLY_UPDATED, actor_id, now, reply, details={"changed": ["body"]})
    if _is_visible(reply):
        post, most = (reply.topic_id, reply.id), authoring.max_mentions
        notify.notify_about_edit(db, actor_id, now, text.mentioned, *post, most_mentions=most)


def destroy(
    db: Session, actor_id: int | None, now: datetime, reply: ReplyRow, reason: str | None = None
) -> bool:
    """Mark a reply as deleted; a tombstone is shown in its place.

    reason: in the words of a moderator, who does it to the reply of another user, who is told.
    Return whether that is recorded: it was not deleted, or staff take over what somebody else did.
    """
    ids = reply.user_id, reply.topic_id, reply.id
    action = Action(EventType.REPLY_DELETED, actor_id, now, *ids, reason=reason)
    deleted = update_of(Reply).where(Reply.id == reply.id).values(deleted_at=now)
    if reply.deleted_at is not None:
        # What staff decide, the author and a sweep that is taken back cannot end.
        if not actions.take_over(db, action, reply.deleted_at):
            return False
        db.execute(deleted)
        return True
    db.execute(deleted)
    _count_in_topic(db, reply, -1)
    notify_jobs.delete_for_reply(db, reply.topic_id, reply.id)
    next_reply = _next_visible(db, reply)
    next_user_id = next_reply and notify_jobs.lock_position(db, reply.topic_id, next_reply.id)
    notified = (recipients.notified_about_reply(), recipients.reporters_of_reply())
    author = select(literal(reply.user_id, BigId))
    lock_users(db, User.id.in_(author.union(*notified)), reply_id=reply.id)
    if _is_visible(reply):
        counted = update_without_invalidation(User).where(User.id == reply.user_id)
        db.execute(counted.values(replies_count=at_least_zero(User.replies_count - 1)))
        if next_reply is not None:
            notify.move_unread(db, now, reply, next_reply, next_user_id)
    notify.delete(db, Notification.reply_id == reply.id)
    actions.record(db, action)
    return True


def restore(
    db: Session, actor_id: int | None, now: datetime, reply: ReplyRow, reason: str | None = None
) -> bool:
    """Show a deleted reply again; nobody is notified of it once more.

    reason: as in `destroy`. Return whether it was deleted. Raises Conflict if the text was deleted
    for good.
    """
    if reply.deleted_at is None:
        return False
    purge.check_restorable(db, Reply, reply.id)
    db.execute(update_of(Reply).where(Reply.id == reply.id).values(deleted_at=None))
    _count_in_topic(db, reply, 1)
    if _is_visible(reply):
        author = select(literal(reply.user_id, BigId))
        notified = author.union(recipients.reporters_of_reply())
        lock_users(db, User.id.in_(notified), reply_id=reply.id)
        counted = update_without_invalidation(User).where(User.id == reply.user_id)
        db.execute(counted.values(replies_count=User.replies_count + 1))
    _record(db, EventType.REPLY_RESTORED, actor_id, now, reply, reason=reason)
    return True


def _count_in_topic(db: Session, reply: ReplyRow, by: int) -> None:
    """Count a reply that was deleted (-1) or restored (1) in its topic."""
    by_other = by * int(reply.user_id != reply.topic_user_id)
    db.execute(
        update_of(Topic)
        .where(Topic.id == reply.topic_id)
        .values(
            replies_count=at_least_zero(Topic.replies_count + by),
            others_replies_count=at_least_zero(Topic.others_replies_count + by_other),
        )
    )
    counters.recompute_last_reply(db, [reply.topic_id])


def _record(
    db: Session,
    type_: EventType,
    actor_id: int | None,
    now: datetime,
    reply: ReplyRow,
    **extra: Any,
) -> None:
    action = Action(type_, actor_id, now, reply.user_id, reply.topic_id, reply.id, **extra)
    actions.record(db, action)


def _next_visible(db: Session, reply: ReplyRow) -> Row[Any] | None:
    """Return the first visible reply after this one, or None."""
    columns: list[Any] = [Reply.id, Reply.user_id, Reply.created_at]
    after = Reply.topic_id == reply.topic_id, Reply.id > reply.id, Reply.deleted_at.is_(None)
    return db.execute(select(*columns).where(*after).order_by(Reply.id).limit(1)).one_or_none()


def _is_visible(reply: ReplyRow) -> bool:
    return reply.topic_deleted_at is None and reply.topic_banned_at is None
