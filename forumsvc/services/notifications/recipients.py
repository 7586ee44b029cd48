"""Who is told of what: the conditions of telling, and the locks that come before it.

Those who may be told are locked before their notifications are written, and nobody else is told. So
a user's ids rise in the order in which they can be seen, and a poller that asks for what is newer
than the newest (`GET /notifications?since=`) misses none for being overtaken.
"""

from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Integer,
    ScalarSelect,
    Select,
    bindparam,
    select,
    union,
)

from ...db.base import BigId
from ...models import Notification, NotificationType, TopicFollow, User, UserFollow

ACTOR = bindparam("actor_id", type_=BigId)
TOPIC = bindparam("topic_id", type_=BigId)
REPLY = bindparam("reply_id", type_=BigId)
_AUTHOR = bindparam("author_id", type_=BigId)
FOLLOWS: dict[str, type[UserFollow] | type[TopicFollow]] = {
    NotificationType.TOPIC: UserFollow,
    NotificationType.TOPIC_REPLY: TopicFollow,
}
"""Which follows a notification of a new post is for: of its author, or of its topic."""
# In the text, not bound: PostgreSQL plans each statement once, and for an unknown LIMIT that is a
# plan for a tenth of all rows.
INLINE = bindparam("inline_recipients", type_=Integer, literal_execute=True)
MENTIONED = bindparam("mentioned", type_=BigId, expanding=True)
_IS_MENTIONED = User.id.in_(MENTIONED)


def told_of_topic() -> Select[Any]:
    """Return the SELECT of those who have a notification of the topic `topic_id`, or in it."""
    return select(Notification.user_id).where(Notification.topic_id == TOPIC)


def told_of_reply() -> Select[Any]:
    """Return the SELECT of those who have a notification of the reply `reply_id`."""
    return select(Notification.user_id).where(Notification.reply_id == REPLY)


def newly_mentioned_in_topic() -> ColumnElement[bool]:
    """Return the condition that a topic mentions them, and that they were not told so before."""
    before = told_of_topic().where(
        Notification.type == NotificationType.MENTION, Notification.reply_id.is_(None)
    )
    return _IS_MENTIONED & User.id.not_in(before)


def newly_mentioned_in_reply() -> ColumnElement[bool]:
    """Return the condition that a reply mentions them, and that they were not told so before."""
    before = told_of_reply().where(Notification.type == NotificationType.MENTION)
    return _IS_MENTIONED & User.id.not_in(before)


def has_no_unread_reply() -> ColumnElement[bool]:
    """Return the condition that they have no unread notification of another reply to the topic.

    It holds as long as the user is locked: whoever inserts, marks or deletes notifications of a
    user locks that user first.
    """
    unread = select(Notification.id).where(
        Notification.user_id == User.id,
        Notification.topic_id == TOPIC,
        Notification.type == NotificationType.TOPIC_REPLY,
        Notification.read_at.is_(None),
    )
    # Asked for each user by itself: for an EXISTS PostgreSQL may read all that point to the topic.
    return unread.limit(1).correlate(User).scalar_subquery().is_(None)


def is_author() -> ColumnElement[bool]:
    """Return the condition that the topic is theirs."""
    return User.id == _AUTHOR


def one() -> ColumnElement[bool]:
    """Return the condition that it is the user `recipient_id`."""
    return User.id == bindparam("recipient_id", type_=BigId)


def followers(type_: str, *only: ColumnElement[bool]) -> Select[Any]:
    """Return the SELECT of the followers whom a new topic or reply is for, by the ids of users.

    type_: TOPIC or TOPIC_REPLY; only: conditions on the row of the follow.
    """
    follow = FOLLOWS[type_]
    whose = UserFollow.target_id == ACTOR
    if follow is TopicFollow:
        whose = TopicFollow.topic_id == TOPIC
    return select(follow.user_id).where(whose, *only).order_by(follow.user_id)


def next_follower(type_: str) -> ScalarSelect[Any]:
    """Return the SELECT of the first follower beyond those who are notified with the post."""
    return followers(type_).offset(INLINE).limit(1).scalar_subquery()


def concerned(type_: str, with_mentioned: bool, *others: Select[Any]) -> CompoundSelect[Any]:
    """Return the SELECT of whom a new topic or reply (type_) is for, and of others.

    Of the followers these are the first `inline_recipients`.
    with_mentioned: whether those in `mentioned` belong to them.
    """
    first = followers(type_).limit(INLINE).subquery()
    parts = [select(first.c.user_id)]
    if type_ == NotificationType.TOPIC_REPLY:
        parts.append(select(_AUTHOR))
    # One list of ids: of conditions joined by OR the database would ask all users.
    mentioned = [select(User.id).where(_IS_MENTIONED)] if with_mentioned else []
    return union(*parts, *mentioned, *others)
