"""Notifications and counters of a new post.

The rows of the author and the recipients are locked last and for a short time, because other
requests of these users wait for the end of the transaction. So of many followers only the first are
notified here; a job notifies the others (`notify_jobs`).
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Insert,
    Select,
    String,
    Update,
    any_,
    bindparam,
    case,
    false,
    literal,
    null,
    select,
    union,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from ...cache.invalidation import update_without_invalidation
from ...db.execution import rows
from ...db.statements import execute
from ...models import MentionType, Notification, NotificationType, User
from ...queries.rows import TopicStateRow
from ...queries.user_locks import select_users_for_update
from ..posts.writers import check_state
from . import notify, notify_jobs, recipients

_LOCKED = bindparam("locked", type_=postgresql.ARRAY(BigInteger))
_COUNTERS: dict[str, Any] = {
    NotificationType.TOPIC: User.topics_count,
    NotificationType.TOPIC_REPLY: User.replies_count,
}


def notify_and_count(
    db: Session,
    author_id: int,
    now: datetime,
    mentioned: Sequence[int],
    post_id: int,
    inline_recipients: int,
    topic: TopicStateRow | None = None,
) -> None:
    """Count a new topic or reply for its author, and notify the mentioned users and the followers.

    These follow the author of a topic, or the topic of a reply, whose author is notified, too.
    inline_recipients: how many followers are notified here, the others are notified after the
    commit; topic: of a reply. Raises Forbidden if the author may not write any more.
    """
    key, type_, mention_type = "topic_id", NotificationType.TOPIC, MentionType.TOPIC
    subject: dict[str, Any] = {}
    if topic is not None:
        key, type_, mention_type = "reply_id", NotificationType.TOPIC_REPLY, MentionType.REPLY
        subject = {"topic_id": topic.id, "author_id": topic.user_id}
    event = notify.event_values(
        author_id,
        now,
        type_,
        mention_type=str(mention_type),
        mentioned=mentioned,
        inline_recipients=inline_recipients,
        **{key: post_id},
        **subject,
    )
    kind = event["type"], bool(event["mentioned"])
    if db.get_bind().dialect.name == "postgresql":
        locked = rows(db, _select_locked(*kind), event)
        execute(db, _insert_and_count(*kind), {**event, "locked": [user.id for user in locked]})
        touched = locked
    else:
        execute(db, _insert(*kind), event)
        touched = execute(db, _count(kind[0]), event)
    [actor] = (user for user in touched if user.id == author_id)
    check_state(actor.state, actor.blocked_until, now)
    if actor.next_follower is not None:
        notify_jobs.enqueue(db, event, actor.next_follower)


@cache
def _select_locked(type_: str, with_mentioned: bool) -> Select[Any]:
    user_ids = recipients.of_new_post(type_, with_mentioned, select(recipients.ACTOR))
    return select_users_for_update(User.id.in_(user_ids)).add_columns(*_of_author(type_))


def _of_author(type_: str) -> tuple[Any, ...]:
    next_follower = recipients.next_follower(type_).label("next_follower")
    return next_follower, User.state, User.blocked_until


@cache
def _insert_and_count(type_: str, with_mentioned: bool) -> Update:
    """Return the statement that notifies and counts the locked users, and nobody else.

    So the ids of a user's notifications rise in the order in which they become visible. Locking in
    the same statement would save one; but its UPDATE sees the rows as they were before it waited
    for their locks, and so two of them deadlock.
    """
    insertion = _insert_for(type_, User.id == any_(_LOCKED), with_mentioned)
    notified = insertion.returning(Notification.user_id).cte("notified")
    return _count_for(type_, select(notified.c.user_id))


@cache
def _insert(type_: str, with_mentioned: bool) -> Insert:
    return _insert_for(
        type_, User.id.in_(recipients.of_new_post(type_, with_mentioned)), with_mentioned
    )


@cache
def _count(type_: str) -> Any:
    is_topic = type_ == NotificationType.TOPIC
    notified = recipients.notified_about_topic() if is_topic else recipients.notified_about_reply()
    return _count_for(type_, notified).returning(User.id, *_of_author(type_))


def _insert_for(type_: str, is_recipient: ColumnElement[bool], with_mentioned: bool) -> Insert:
    shown_type: Any = notify.TYPE
    mention_type: Any = null()
    is_mentioned = User.id.in_(recipients.MENTIONED) if with_mentioned else false()
    if type_ == NotificationType.TOPIC_REPLY:
        is_recipient &= is_mentioned | recipients.is_author() | recipients.has_no_unread_reply()
    if with_mentioned:
        shown_type = case(
            (is_mentioned, literal(NotificationType.MENTION, String)), else_=shown_type
        )
        mention_type = case((is_mentioned, notify.MENTION_TYPE), else_=mention_type)
    return notify.insert_notifications(is_recipient, shown_type, mention_type)


def _count_for(type_: str, notified: Select[Any]) -> Update:
    """Return the UPDATE of the counters. The author is never notified."""
    counter, is_author = _COUNTERS[type_], User.id == recipients.ACTOR
    return (
        update_without_invalidation(User)
        # A union of ids: for conditions joined by OR the database would scan all users.
        .where(User.id.in_(union(notified, select(recipients.ACTOR))))
        .values(
            {
                counter: counter + case((is_author, 1), else_=0),
                User.unread_count: User.unread_count + case((is_author, 0), else_=1),
            }
        )
    )
