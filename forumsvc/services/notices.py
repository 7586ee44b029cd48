"""Notifications: written in the transaction of what causes them, and taken back with it.

One event tells one user at most once, nobody of what they did themselves, and nobody at the hands
of somebody they block.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, func, insert, literal, null, select
from sqlalchemy.orm import Session

from ..errors import NotFound
from ..models import (
    FollowNotice,
    MentionType,
    Notification,
    NotificationType,
    TopicFollow,
    User,
    UserBlock,
    UserFollow,
    UserState,
)
from ..models.meta import BigId, Timestamp
from ..models.statements import change, insert_if_absent, lock_users, remove


def _notices(
    who: ColumnElement[bool],
    actor_id: int,
    now: datetime,
    type_: NotificationType,
    *,
    topic_id: int | None = None,
    reply_id: int | None = None,
    node_id: int | None = None,
    mention_type: MentionType | None = None,
) -> Any:
    """Return the INSERT of one notification for each user who meets `who` and hears the actor."""
    blocks_actor = exists().where(UserBlock.user_id == User.id, UserBlock.target_id == actor_id)
    values: dict[str, Any] = {
        "user_id": User.id,
        "actor_id": literal(actor_id, BigId),
        "type": literal(str(type_)),
        "mention_type": literal(str(mention_type)) if mention_type else null(),
        "topic_id": literal(topic_id, BigId),
        "reply_id": literal(reply_id, BigId),
        "node_id": literal(node_id, BigId),
        "created_at": literal(now, Timestamp),
        "updated_at": literal(now, Timestamp),
    }
    recipients = select(*values.values()).where(
        who, User.id != actor_id, User.state != UserState.DELETED, ~blocks_actor
    )
    return insert(Notification).from_select(list(values), recipients)


def _tell(db: Session, notices: Any) -> Sequence[int]:
    """Insert notifications and return whom they tell, to be counted by `_count_unread`."""
    return db.scalars(notices.returning(Notification.user_id)).all()


def _count_unread(db: Session, told: Sequence[int]) -> None:
    """Count a new notification for each of these users: all at once, for the order of the locks."""
    if told:
        chosen = User.id.in_(told)
        lock_users(db, chosen)
        db.execute(change(User).where(chosen).values(unread_count=User.unread_count + 1))


def _mention(
    actor_id: int, now: datetime, mentioned: Sequence[int], topic_id: int, reply_id: int | None
) -> Any:
    told = select(Notification.user_id).where(
        Notification.type == NotificationType.MENTION,
        Notification.topic_id == topic_id,
        Notification.reply_id.is_(None) if reply_id is None else Notification.reply_id == reply_id,
    )
    return _notices(
        User.id.in_(mentioned) & User.id.not_in(told),
        actor_id,
        now,
        NotificationType.MENTION,
        topic_id=topic_id,
        reply_id=reply_id,
        mention_type=MentionType.TOPIC if reply_id is None else MentionType.REPLY,
    )


def tell_of_new_topic(
    db: Session, actor_id: int, now: datetime, mentioned: Sequence[int], topic_id: int
) -> None:
    """Tell those whom a new topic mentions, and its author's followers.

    The caller counts them: they are `told_of(topic_id=…)`.
    """
    if mentioned:
        db.execute(_mention(actor_id, now, mentioned, topic_id, None))
    followers = select(UserFollow.user_id).where(UserFollow.target_id == actor_id)
    who = User.id.in_(followers) & User.id.not_in(told_of(topic_id=topic_id))
    db.execute(_notices(who, actor_id, now, NotificationType.TOPIC, topic_id=topic_id))


def tell_of_new_reply(
    db: Session,
    actor_id: int,
    now: datetime,
    mentioned: Sequence[int],
    topic_id: int,
    author_id: int,
    reply_id: int,
) -> None:
    """Tell those whom a new reply mentions, and the topic's author (`author_id`) and followers.

    The caller counts them: they are `told_of(reply_id=…)`.
    """
    if mentioned:
        db.execute(_mention(actor_id, now, mentioned, topic_id, reply_id))
    followers = select(TopicFollow.user_id).where(TopicFollow.topic_id == topic_id)
    concerned = followers.union(select(literal(author_id, BigId)))
    who = User.id.in_(concerned) & User.id.not_in(told_of(reply_id=reply_id))
    db.execute(
        _notices(
            who, actor_id, now, NotificationType.TOPIC_REPLY, topic_id=topic_id, reply_id=reply_id
        )
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
    """Tell those whom an edited text mentions, if it never did before, and of a move its author.

    moved: the author of a topic and the node that it went to, where it did.
    """
    told: list[int] = []
    if mentioned:
        told += _tell(db, _mention(actor_id, now, mentioned, topic_id, reply_id))
    if moved is not None and moved[0] not in told:
        author_id, node_id = moved
        type_ = NotificationType.NODE_CHANGED
        who = User.id == author_id
        told += _tell(db, _notices(who, actor_id, now, type_, topic_id=topic_id, node_id=node_id))
    _count_unread(db, told)


def tell_of_follow(db: Session, actor_id: int, now: datetime, target_id: int) -> None:
    """Tell a user of a follower, once however often the follow is taken back and made again."""
    if not insert_if_absent(
        db, FollowNotice, user_id=actor_id, target_id=target_id, created_at=now
    ):
        return
    told = _tell(db, _notices(User.id == target_id, actor_id, now, NotificationType.FOLLOW))
    _count_unread(db, told)
    if not told:
        # Who blocks the follower was not told, and may be once the block is lifted.
        pair = (FollowNotice.user_id == actor_id, FollowNotice.target_id == target_id)
        db.execute(remove(FollowNotice).where(*pair))


def told_of(*, topic_id: int | None = None, reply_id: int | None = None) -> Select[Any]:
    """Return the SELECT of those who have a notification of the reply, or else of the topic."""
    pointing = (
        Notification.reply_id == reply_id
        if reply_id is not None
        else Notification.topic_id == topic_id
    )
    return select(Notification.user_id).where(pointing)


def forget(db: Session, *, topic_id: int | None = None, reply_id: int | None = None) -> None:
    """Remove the notifications of a reply, or of a topic and all that is in it.

    The users of `told_of` are locked by the caller.
    """
    pointing = (
        Notification.reply_id == reply_id
        if reply_id is not None
        else Notification.topic_id == topic_id
    )
    unread = Notification.read_at.is_(None)
    lost = (
        select(func.count())
        .where(Notification.user_id == User.id, pointing, unread)
        .scalar_subquery()
    )
    readers = select(Notification.user_id).where(pointing, unread)
    db.execute(
        change(User).where(User.id.in_(readers)).values(unread_count=User.unread_count - lost)
    )
    db.execute(remove(Notification).where(pointing))


def mark_read(db: Session, user_id: int, now: datetime, ids: Sequence[int]) -> None:
    """Mark those of the notifications that are the user's as read.

    Raises NotFound where ids are given and none is the user's.
    """
    if not ids:
        return
    lock_users(db, User.id == user_id)
    own = (Notification.user_id == user_id, Notification.id.in_(ids))
    marked = db.scalars(
        change(Notification)
        .where(*own, Notification.read_at.is_(None))
        .values(read_at=now, updated_at=now)
        .returning(Notification.id)
    ).all()
    if marked:
        _lower_unread(db, user_id, len(marked))
    elif db.execute(select(Notification.id).where(*own).limit(1)).first() is None:
        raise NotFound("None of these notifications is yours.")


def delete_one(db: Session, user_id: int, notification_id: int) -> None:
    """Delete one of the user's notifications."""
    _delete(db, user_id, Notification.id == notification_id)


def delete_all(db: Session, user_id: int) -> None:
    """Delete all of the user's notifications."""
    _delete(db, user_id)


def _delete(db: Session, user_id: int, *only: ColumnElement[bool]) -> None:
    lock_users(db, User.id == user_id)
    own = (Notification.user_id == user_id, *only)
    unread = db.scalar(
        select(func.count()).select_from(Notification).where(*own, Notification.read_at.is_(None))
    )
    db.execute(remove(Notification).where(*own))
    if unread:
        _lower_unread(db, user_id, unread)


def _lower_unread(db: Session, user_id: int, by: int) -> None:
    db.execute(change(User).where(User.id == user_id).values(unread_count=User.unread_count - by))
