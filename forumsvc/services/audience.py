"""Who is told of what: the conditions of telling, and the locks that come before it.

Those who may be told are locked before their notifications are written, and nobody else is told. So
a user's ids rise in the order in which they can be seen, and a poller that asks for what is newer
than the newest (`GET /notifications?since=`) misses none for being overtaken.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CompoundSelect,
    Select,
    any_,
    bindparam,
    select,
    union,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from ..models import Notification, NotificationType, TopicFollow, User, UserFollow
from ..models.meta import BigId
from ..models.statements import locking_users
from ..queries.reading import rows

Audience = Callable[[], list[Select[Any]]]
"""Returns SELECTs of those who are told of a post, whether it mentions them or not."""

ACTOR = bindparam("actor_id", type_=BigId)
TOPIC = bindparam("topic_id", type_=BigId)
REPLY = bindparam("reply_id", type_=BigId)
_AUTHOR = bindparam("author_id", type_=BigId)
_LOCKED = bindparam("locked", type_=postgresql.ARRAY(BigInteger))
_MENTIONED = User.id.in_(bindparam("mentioned", type_=BigId, expanding=True))


def told_of_topic() -> Select[Any]:
    """Return the SELECT of those who have a notification of the topic `topic_id`, or in it."""
    return select(Notification.user_id).where(Notification.topic_id == TOPIC)


def told_of_reply() -> Select[Any]:
    """Return the SELECT of those who have a notification of the reply `reply_id`."""
    return select(Notification.user_id).where(Notification.reply_id == REPLY)


def mentioned() -> ColumnElement[bool]:
    """Return the condition on users that a new text mentions them."""
    return _MENTIONED


def newly_mentioned_in_topic() -> ColumnElement[bool]:
    """Return the condition that a topic mentions them, and that they were not told so before."""
    before = told_of_topic().where(
        Notification.type == NotificationType.MENTION, Notification.reply_id.is_(None)
    )
    return _MENTIONED & User.id.not_in(before)


def newly_mentioned_in_reply() -> ColumnElement[bool]:
    """Return the condition that a reply mentions them, and that they were not told so before."""
    before = told_of_reply().where(Notification.type == NotificationType.MENTION)
    return _MENTIONED & User.id.not_in(before)


def one() -> ColumnElement[bool]:
    """Return the condition that it is the user `recipient_id`."""
    return User.id == bindparam("recipient_id", type_=BigId)


def followers_of_actor() -> list[Select[Any]]:
    """Return the SELECT of those who follow who opens a topic."""
    return [select(UserFollow.user_id).where(UserFollow.target_id == ACTOR)]


def concerned_with_topic() -> list[Select[Any]]:
    """Return the SELECTs of those who follow a topic, and of its author."""
    followers = select(TopicFollow.user_id).where(TopicFollow.topic_id == TOPIC)
    return [followers, select(_AUTHOR)]


def told(who: Audience, dialect: str, *, with_mentioned: bool) -> ColumnElement[bool]:
    """Return the condition that a new post is for them, or mentions them.

    On PostgreSQL it is that they are among the `locked`: who joins the audience meanwhile is not.
    """
    if dialect == "postgresql":
        return User.id == any_(_LOCKED)
    return User.id.in_(_concerned(who, with_mentioned))


def lock(db: Session, who: Audience, event: Mapping[str, Any]) -> Sequence[int]:
    """Lock all whom a new post may concern, its author among them, and return their ids.

    event: the values of the parameters. SQLite, where nobody else writes, needs no locks and no
    ids.
    """
    if db.get_bind().dialect.name != "postgresql":
        return ()
    found = rows(db, _locking(who, bool(event["mentioned"])), event)
    return [user.id for user in found]


@cache
def _locking(who: Audience, with_mentioned: bool) -> Select[Any]:
    return locking_users(User.id.in_(_concerned(who, with_mentioned, select(ACTOR))))


def _concerned(who: Audience, with_mentioned: bool, *others: Any) -> CompoundSelect[Any]:
    # One list of ids: of conditions joined by OR the database would ask all users.
    mentioned = [select(User.id).where(_MENTIONED)] if with_mentioned else []
    return union(*who(), *mentioned, *others)
