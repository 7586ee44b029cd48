"""Inserting and deleting notifications, in the transaction of their cause.

An event notifies a user at most once, not the actor, and nobody who blocks the actor. Statements
are built once: building one costs more than running it.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Insert,
    String,
    bindparam,
    exists,
    func,
    insert,
    select,
)
from sqlalchemy.orm import Session

from ...cache.invalidation import change_unmarked
from ...db.base import BigId, UtcDateTime
from ...db.statements import delete_of, execute, insert_or_ignore, update_of
from ...models import (
    FollowNotice,
    MentionType,
    Notification,
    NotificationType,
    TopicFollow,
    User,
    UserBlock,
    UserState,
)
from ...queries.user_locks import lock_users
from . import recipients

TYPE = bindparam("type", type_=String)
MENTION_TYPE = bindparam("mention_type", type_=String)


def telling(meant: ColumnElement[bool], type_: Any, mention_type: Any) -> Insert:
    """Return the INSERT of a notification for each recipient who does not block the actor.

    is_recipient: the condition on users. The types are columns or parameters.
    """
    blocks_actor = exists().where(
        UserBlock.user_id == User.id, UserBlock.target_id == recipients.ACTOR
    )
    now = bindparam("now", type_=UtcDateTime)
    values: dict[str, Any] = {
        "user_id": User.id,
        "actor_id": recipients.ACTOR,
        "type": type_,
        "mention_type": mention_type,
        "topic_id": recipients.TOPIC,
        "reply_id": recipients.REPLY,
        "node_id": bindparam("node_id", type_=BigId),
        "created_at": now,
        "updated_at": now,
    }
    rows = select(*values.values()).where(
        meant, User.id != recipients.ACTOR, User.state != UserState.DELETED, ~blocks_actor
    )
    return insert(Notification).from_select(list(values), rows)


@cache
def _telling_few(who: Callable[[], ColumnElement[bool]]) -> Any:
    return telling(who(), TYPE, MENTION_TYPE).returning(Notification.user_id)


def event(actor_id: int, now: datetime, type_: NotificationType, **more: Any) -> dict[str, Any]:
    """Return the parameters of a notification. more: those that are not None."""
    return {
        "actor_id": actor_id,
        "now": now,
        "type": str(type_),
        "mention_type": None,
        "topic_id": None,
        "reply_id": None,
        "node_id": None,
        **more,
    }


def _tell(
    db: Session, who: Callable[[], ColumnElement[bool]], values: dict[str, Any]
) -> Sequence[int]:
    """Insert notifications and return the recipients, for `increment_unread`."""
    return [told.user_id for told in execute(db, _telling_few(who), values)]


def count_unread(db: Session, told: Sequence[int]) -> None:
    """Increment the unread count of these users, who are locked."""
    if told:
        counted = change_unmarked(User).values(unread_count=User.unread_count + 1)
        db.execute(counted.where(User.id.in_(told)))


def _mention(
    actor_id: int, now: datetime, mentioned: Sequence[int], topic_id: int, reply_id: int | None
) -> dict[str, Any]:
    return event(
        actor_id,
        now,
        NotificationType.MENTION,
        topic_id=topic_id,
        reply_id=reply_id,
        mention_type=str(MentionType.TOPIC if reply_id is None else MentionType.REPLY),
        mentioned=list(mentioned),
    )


def tell_of_edit(
    db: Session,
    actor_id: int,
    now: datetime,
    mentioned: Sequence[int],
    topic_id: int,
    reply_id: int | None = None,
    *,
    moved: tuple[int, int] | None = None,
) -> None:
    """Notify the newly mentioned users of an edited text, and the author of a moved topic.

    moved: the author of a topic and its new node, if it was moved.
    """
    concerned = {*mentioned, *(() if moved is None else moved[:1])}
    if not concerned:
        return
    lock_users(db, User.id.in_(concerned))
    told: list[int] = []
    if mentioned:
        in_reply = reply_id is not None
        who = (
            recipients.newly_mentioned_in_reply if in_reply else recipients.newly_mentioned_in_topic
        )
        told += _tell(db, who, _mention(actor_id, now, mentioned, topic_id, reply_id))
    if moved is not None and moved[0] not in told:
        author_id, node_id = moved
        type_ = NotificationType.NODE_CHANGED
        places = {"topic_id": topic_id, "node_id": node_id, "recipient_id": author_id}
        told += _tell(db, recipients.one, event(actor_id, now, type_, **places))
    count_unread(db, told)


def tell_of_follow(db: Session, actor_id: int, now: datetime, target_id: int) -> bool:
    """Notify a user about a follower, once for any number of follows and unfollows.

    The caller has locked the user and increments the unread count. Returns whether the user was
    notified.
    """
    if not insert_or_ignore(
        db, FollowNotice, user_id=actor_id, target_id=target_id, created_at=now
    ):
        return False
    followed = event(actor_id, now, NotificationType.FOLLOW, recipient_id=target_id)
    told = bool(_tell(db, recipients.one, followed))
    if not told:
        # A user who blocks the follower is not notified, and may be after an unblock.
        pair = (FollowNotice.user_id == actor_id, FollowNotice.target_id == target_id)
        db.execute(delete_of(FollowNotice).where(*pair))
    return told


def forget_topic(db: Session, topic_id: int) -> None:
    """Delete the notifications about a topic and its replies.

    The caller has locked the users of `audience.told_of_topic`.
    """
    _forget(db, Notification.topic_id == topic_id)


def move_unread(
    db: Session, now: datetime, reply: Any, next_reply: Any, next_user_id: int | None
) -> None:
    """Let unread notifications of a deleted reply point to the one that follows it.

    Only a follower's: they have no notification of the further replies. Left out are those who may
    not hear of that one or heard of it already, and the topic's author, who heard of each.
    next_user_id: from which user on a job is still to notify of it; the caller has locked that job.

    The caller has locked the users of `recipients.told_of_reply`. Their counters stay as they are.
    """
    reader = Notification.user_id
    unread = (
        Notification.reply_id == reply.id,
        Notification.type == NotificationType.TOPIC_REPLY,
        Notification.read_at.is_(None),
        reader.not_in([reply.topic_user_id, next_reply.user_id]),
    )
    # As if they had been notified of that reply when it was written.
    follows = select(TopicFollow.user_id).where(
        TopicFollow.topic_id == reply.topic_id, TopicFollow.created_at <= next_reply.created_at
    )
    blocks = select(UserBlock.user_id).where(UserBlock.target_id == next_reply.user_id)
    heard = select(Notification.user_id).where(Notification.reply_id == next_reply.id)
    meant = [*unread, reader.in_(follows), reader.not_in(blocks.union_all(heard))]
    if next_user_id is not None:
        meant.append(reader < next_user_id)
    moved = {
        "reply_id": next_reply.id,
        "actor_id": next_reply.user_id,
        "created_at": next_reply.created_at,
    }
    db.execute(update_of(Notification).where(*meant).values(updated_at=now, **moved))


def forget_reply(db: Session, reply_id: int) -> None:
    """Delete the notifications about a reply.

    The caller has locked the users of `recipients.told_of_reply`.
    """
    _forget(db, Notification.reply_id == reply_id)


def _forget(db: Session, pointing: ColumnElement[bool]) -> None:
    unread = Notification.read_at.is_(None)
    lost = (
        select(func.count())
        .where(Notification.user_id == User.id, pointing, unread)
        .scalar_subquery()
    )
    readers = select(Notification.user_id).where(pointing, unread)
    db.execute(
        change_unmarked(User)
        .where(User.id.in_(readers))
        .values(unread_count=User.unread_count - lost)
    )
    db.execute(delete_of(Notification).where(pointing))
