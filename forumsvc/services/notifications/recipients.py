"""The recipients of notifications: the conditions that select them.

Recipients are locked before their notifications are inserted, and nobody else is notified. So the
ids of a user's notifications rise in the order in which they become visible, and a client that
polls for newer ones (`GET /notifications?since=`) misses none.
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
from ...db.statements import greatest
from ...models import (
    Notification,
    NotificationType,
    Report,
    Review,
    ReviewState,
    Topic,
    TopicFollow,
    TopicRead,
    User,
    UserFollow,
)
from ...queries import topic_reads

ACTOR = bindparam("actor_id", type_=BigId)
TOPIC = bindparam("topic_id", type_=BigId)
REPLY = bindparam("reply_id", type_=BigId)
_AUTHOR = bindparam("author_id", type_=BigId)
FOLLOWS: dict[str, type[UserFollow] | type[TopicFollow]] = {
    NotificationType.TOPIC: UserFollow,
    NotificationType.TOPIC_REPLY: TopicFollow,
}
"""The follows whose users are notified about a new post: of its author, or of its topic."""
# In the SQL text, not bound: PostgreSQL plans each statement once, and an unknown LIMIT as a tenth
# of all rows.
INLINE_LIMIT = bindparam("inline_recipients", type_=Integer, literal_execute=True)
MENTIONED = bindparam("mentioned", type_=BigId, expanding=True)
_IS_MENTIONED = User.id.in_(MENTIONED)


def notified_about_topic() -> Select[Any]:
    """Return the SELECT of users with a notification about the topic `topic_id` or its replies."""
    return select(Notification.user_id).where(Notification.topic_id == TOPIC)


def notified_about_reply() -> Select[Any]:
    """Return the SELECT of users with a notification about the reply `reply_id`."""
    return select(Notification.user_id).where(Notification.reply_id == REPLY)


def reporters_of_topic() -> Select[Any]:
    """Return the SELECT of users whose report of the topic `topic_id` is open.

    A decision hides the topic and then tells them, so they are locked together with the others.
    """
    return _reporters(Review.topic_id == TOPIC, Review.reply_id.is_(None))


def reporters_of_reply() -> Select[Any]:
    """Return the SELECT of users whose report of the reply `reply_id` is open."""
    return _reporters(Review.reply_id == REPLY)


def _reporters(*conditions: ColumnElement[bool]) -> Select[Any]:
    reviews = select(Review.id).where(*conditions, Review.state == ReviewState.OPEN)
    return select(Report.reporter_id).where(Report.review_id.in_(reviews))


def has_no_unread_reply() -> ColumnElement[bool]:
    """Return the condition for users without an unread notification about a reply to the topic.

    It cannot change while the user is locked: inserting, marking and deleting notifications of a
    user locks that user first.
    """
    unread = select(Notification.id).where(
        Notification.user_id == User.id,
        Notification.topic_id == TOPIC,
        Notification.type == NotificationType.TOPIC_REPLY,
        Notification.read_at.is_(None),
    )
    # A subquery for each user: for an EXISTS PostgreSQL may read all notifications of the topic.
    return unread.limit(1).correlate(User).scalar_subquery().is_(None)


def has_not_read_reply() -> ColumnElement[bool]:
    """Return the condition for users who have not marked the reply as read meanwhile."""
    node_id = select(Topic.node_id).where(Topic.id == TOPIC).scalar_subquery()
    read = select(TopicRead.user_id).where(
        TopicRead.user_id == User.id,
        TopicRead.topic_id == TOPIC,
        greatest(TopicRead.last_reply_id, topic_reads.cutoff(TopicRead, node_id)) >= REPLY,
    )
    return read.limit(1).correlate(User).scalar_subquery().is_(None)


def is_author() -> ColumnElement[bool]:
    """Return the condition for the topic's author."""
    return User.id == _AUTHOR


def followers(type_: str, *only: ColumnElement[bool]) -> Select[Any]:
    """Return the SELECT of the followers to notify about a new topic or reply, by user id.

    type_: TOPIC or TOPIC_REPLY; only: conditions on the row of the follow.
    """
    follow = FOLLOWS[type_]
    whose = UserFollow.target_id == ACTOR
    if follow is TopicFollow:
        whose = TopicFollow.topic_id == TOPIC
    return select(follow.user_id).where(whose, *only).order_by(follow.user_id)


def next_follower(type_: str) -> ScalarSelect[Any]:
    """Return the SELECT of the first follower who is notified after the commit."""
    return followers(type_).offset(INLINE_LIMIT).limit(1).scalar_subquery()


def of_new_post(type_: str, with_mentioned: bool, *others: Select[Any]) -> CompoundSelect[Any]:
    """Return the SELECT of the recipients of a new topic or reply (type_), and of others.

    Of the followers these are the first `inline_recipients`.
    with_mentioned: whether to include the users in `mentioned`.
    """
    first = followers(type_).limit(INLINE_LIMIT).subquery()
    parts = [select(first.c.user_id)]
    if type_ == NotificationType.TOPIC_REPLY:
        parts.append(select(_AUTHOR))
    # A union of ids: for conditions joined by OR the database would scan all users.
    mentioned = [select(User.id).where(_IS_MENTIONED)] if with_mentioned else []
    return union(*parts, *mentioned, *others)
