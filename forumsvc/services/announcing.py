"""A new post: told to those whom it concerns, and counted, for its author and for them.

All that waits for the rows of these users comes last and is short: whoever writes next in their
name, or to them, waits for the end of the transaction.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Insert,
    Row,
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

from ..models import MentionType, Notification, NotificationType, User
from ..models.gateway import Awaited
from ..models.statements import change_unmarked, locking_users, run
from ..queries.reading import rows
from . import audience, notices

_TOPIC, _REPLY = "topic", "reply"
_LOCKED = bindparam("locked", type_=postgresql.ARRAY(BigInteger))
_COUNTERS: dict[str, Any] = {_TOPIC: User.topics_count, _REPLY: User.replies_count}


def announce_topic(
    db: Session, author_id: int, now: datetime, mentioned: Sequence[int], topic: Awaited
) -> Row[Any]:
    """Count a new topic for its author, and tell its author's followers and whom it mentions.

    topic: gives its row, alone; returned.
    """
    event = notices.event(
        author_id,
        now,
        NotificationType.TOPIC,
        mention_type=str(MentionType.TOPIC),
        mentioned=mentioned,
    )
    return _announce(db, _TOPIC, event, topic)


def announce_reply(
    db: Session,
    author_id: int,
    now: datetime,
    mentioned: Sequence[int],
    topic: Any,
    reply: Awaited,
) -> Row[Any]:
    """Count a new reply for its author, and tell the topic's author and followers, and whom it
    mentions.

    reply: gives its row, alone; returned.
    """
    event = notices.event(
        author_id,
        now,
        NotificationType.TOPIC_REPLY,
        topic_id=topic.id,
        author_id=topic.user_id,
        mention_type=str(MentionType.REPLY),
        mentioned=mentioned,
    )
    return _announce(db, _REPLY, event, reply)


def _announce(db: Session, kind: str, event: dict[str, Any], post: Awaited) -> Row[Any]:
    with_mentioned = bool(event["mentioned"])
    locked = None
    if db.get_bind().dialect.name == "postgresql":
        # With the post itself, of which nothing is needed before.
        locked = rows(db, _locking(kind, with_mentioned), event)
    [written] = post()
    event[f"{kind}_id"] = written.id
    if locked is None:
        run(db, _told(kind, with_mentioned), event)
        run(db, _counted(kind), event)
    else:
        run(db, _at_once(kind, with_mentioned), {**event, "locked": [user.id for user in locked]})
    return written


@cache
def _locking(kind: str, with_mentioned: bool) -> Select[Any]:
    concerned = audience.concerned(kind, with_mentioned, select(audience.ACTOR))
    return locking_users(User.id.in_(concerned))


@cache
def _at_once(kind: str, with_mentioned: bool) -> Update:
    """Return the statement that tells and counts those who are locked, and nobody else.

    So a user's notifications are numbered in the order in which they can be seen. Locking in the
    same statement would save another; but its UPDATE begins with the rows as they were before the
    wait for their locks, and so two of them wait for each other.
    """
    told = _telling(kind, User.id == any_(_LOCKED), with_mentioned).returning(Notification.user_id)
    return _counting(kind, select(told.cte("told").c.user_id))


@cache
def _told(kind: str, with_mentioned: bool) -> Insert:
    return _telling(kind, User.id.in_(audience.concerned(kind, with_mentioned)), with_mentioned)


@cache
def _counted(kind: str) -> Update:
    return _counting(kind, audience.told_of_topic() if kind == _TOPIC else audience.told_of_reply())


def _telling(kind: str, meant: ColumnElement[bool], with_mentioned: bool) -> Insert:
    type_: Any = notices.TYPE
    mention_type: Any = null()
    is_mentioned = User.id.in_(audience.MENTIONED) if with_mentioned else false()
    if kind == _REPLY:
        meant &= is_mentioned | ~audience.has_unread_reply()
    if with_mentioned:
        type_ = case((is_mentioned, literal(NotificationType.MENTION, String)), else_=type_)
        mention_type = case((is_mentioned, notices.MENTION_TYPE), else_=mention_type)
    return notices.telling(meant, type_, mention_type)


def _counting(kind: str, told: Select[Any]) -> Update:
    """Return what counts a new post. The author is never among those told."""
    counter, is_author = _COUNTERS[kind], User.id == audience.ACTOR
    return (
        change_unmarked(User)
        # One list of ids: of conditions joined by OR the database would ask all users.
        .where(User.id.in_(union(told, select(audience.ACTOR))))
        .values(
            {
                counter: counter + case((is_author, 1), else_=0),
                User.unread_count: User.unread_count + case((is_author, 0), else_=1),
            }
        )
    )
