"""Who is told of what: the conditions of telling, and the locks that come before it.

Those who may be told are locked before their notifications are written, and nobody else is told. So
a user's ids rise in the order in which they can be seen, and a poller that asks for what is newer
than the newest (`GET /notifications?since=`) misses none for being overtaken.

Who begins to follow the author of a new topic between lock and writing is left out, like one who
follows a moment later. A topic cannot be followed meanwhile: its reply and the follow lock it.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    CompoundSelect,
    Select,
    bindparam,
    func,
    select,
    union,
)
from sqlalchemy.orm import Session

from ..models import Notification, NotificationType, TopicFollow, User, UserFollow
from ..models.meta import BigId
from ..models.statements import locking_users

ACTOR = bindparam("actor_id", type_=BigId)
TOPIC = bindparam("topic_id", type_=BigId)
REPLY = bindparam("reply_id", type_=BigId)
_AUTHOR = bindparam("author_id", type_=BigId)
_LOCKED = bindparam("locked", type_=ARRAY(BigInteger))
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


def followers_of_actor() -> ColumnElement[bool]:
    """Return the condition that they follow who opens a topic, and were not told of it yet."""
    return User.id.in_(_followers_of_actor()) & User.id.not_in(told_of_topic())


def locked_followers_of_actor() -> ColumnElement[bool]:
    """Return that condition for those who are `locked`, a parameter that only PostgreSQL takes."""
    return followers_of_actor() & User.id.in_(select(func.unnest(_LOCKED)))


def concerned_with_topic() -> ColumnElement[bool]:
    """Return the condition that a topic is theirs or followed, and they not told of the reply."""
    return User.id.in_(_concerned_with_topic()) & User.id.not_in(told_of_reply())


def one() -> ColumnElement[bool]:
    """Return the condition that it is the user `recipient_id`."""
    return User.id == bindparam("recipient_id", type_=BigId)


def _followers_of_actor() -> Select[Any]:
    return select(UserFollow.user_id).where(UserFollow.target_id == ACTOR)


def _concerned_with_topic() -> CompoundSelect[Any]:
    followers = select(TopicFollow.user_id).where(TopicFollow.topic_id == TOPIC)
    return followers.union(select(_AUTHOR))


def lock_for_topic(db: Session, actor_id: int, mentioned: Sequence[int]) -> Sequence[int] | None:
    """Lock all whom a new topic of this user's may concern, the user among them.

    Returns their ids; None where the whole database is locked.
    """
    return _lock(db, _followers_of_actor, mentioned, actor_id=actor_id)


def lock_for_reply(
    db: Session, actor_id: int, mentioned: Sequence[int], topic_id: int, author_id: int
) -> None:
    """Lock all whom a new reply of this user's to this author's topic may concern, both of them
    among them.
    """
    values = {"actor_id": actor_id, "topic_id": topic_id, "author_id": author_id}
    _lock(db, _concerned_with_topic, mentioned, **values)


def _lock(
    db: Session,
    who: Callable[[], Select[Any] | CompoundSelect[Any]],
    mentioned: Sequence[int],
    **values: Any,
) -> Sequence[int] | None:
    if db.get_bind().dialect.name != "postgresql":
        return None
    if mentioned:
        values["mentioned"] = list(mentioned)
    return db.scalars(_locking(who, bool(mentioned)), values).all()


@cache
def _locking(
    who: Callable[[], Select[Any] | CompoundSelect[Any]], with_mentioned: bool
) -> Select[Any]:
    # One list of ids: of conditions joined by OR the database would ask all users.
    parts: list[Any] = [select(ACTOR), who()]
    if with_mentioned:
        parts.append(select(User.id).where(_MENTIONED))
    return locking_users(User.id.in_(union(*parts)))
