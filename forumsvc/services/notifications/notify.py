"""Inserting and deleting notifications, in the transaction of their cause.

An event notifies a user at most once, not the actor, nobody who blocks the actor, and nobody who
wants none of its type; a post that mentions somebody is a mention for them. The statements of
new posts are built once: building one costs more than running it.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Insert,
    Row,
    Select,
    String,
    Text,
    bindparam,
    exists,
    func,
    insert,
    select,
)
from sqlalchemy.orm import Session

from ...cache.invalidation import update_without_invalidation
from ...db.base import BigId, UtcDateTime
from ...db.statements import at_least_zero, delete_of, execute, insert_or_ignore, update_of
from ...models import (
    FollowNotification,
    MentionType,
    Notification,
    NotificationType,
    TopicFollow,
    User,
    UserBlock,
    UserState,
)
from ...queries.rows import ReplyRow
from ...queries.user_locks import lock_users
from . import mail_choices, preferences, recipients

TYPE = bindparam("type", type_=String)
MENTION_TYPE = bindparam("mention_type", type_=String)


def insert_notifications(
    is_recipient: ColumnElement[bool], type_: Any, mention_type: Any
) -> Insert:
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
        "details": bindparam("details", type_=Text),
        "mail_at": mail_choices.due_at(type_),
        "created_at": now,
        "updated_at": now,
    }
    rows = select(*values.values()).where(
        *(is_recipient, User.id != recipients.ACTOR, User.state != UserState.DELETED),
        *(~blocks_actor, preferences.wants(type_)),
    )
    return insert(Notification).from_select(list(values), rows)


@cache
def _insert_returning_recipients() -> Any:
    is_recipient = User.id.in_(bindparam("recipients", type_=BigId, expanding=True))
    return insert_notifications(is_recipient, TYPE, MENTION_TYPE).returning(Notification.user_id)


def event_values(
    actor_id: int, now: datetime, type_: NotificationType, **parameters: Any
) -> dict[str, Any]:
    """Return the parameters of a notification. parameters: those that are not None."""
    return {
        "actor_id": actor_id,
        "now": now,
        **mail_choices.times(now),
        "type": str(type_),
        "mention_type": None,
        "topic_id": None,
        "reply_id": None,
        "node_id": None,
        "details": None,
        **parameters,
    }


def send(
    db: Session,
    kind: NotificationType,
    actor_id: int,
    now: datetime,
    user_ids: Collection[int],
    **subject: Any,
) -> list[int]:
    """Notify users and count it for them; return the ids of those who were notified.

    They are locked in the order of their ids: a caller who has to lock others, too, has locked all
    of them before. subject: what it is about: topic_id, reply_id, node_id, mention_type, details.
    """
    if not user_ids:
        return []
    lock_users(db, User.id.in_(user_ids))
    values = event_values(actor_id, now, kind, recipients=list(user_ids), **subject)
    notified = [row.user_id for row in execute(db, _insert_returning_recipients(), values)]
    increment_unread(db, notified)
    return notified


def increment_unread(db: Session, user_ids: Sequence[int]) -> None:
    """Increment the unread count of these users, who are locked."""
    if user_ids:
        counted = update_without_invalidation(User).values(unread_count=User.unread_count + 1)
        db.execute(counted.where(User.id.in_(user_ids)))


def notify_about_edit(
    db: Session,
    actor_id: int,
    now: datetime,
    mentioned: Sequence[int],
    topic_id: int,
    reply_id: int | None = None,
    *,
    most_mentions: int,
    moved: tuple[int, int] | None = None,
) -> None:
    """Notify the newly mentioned users of an edited text, and the author of a moved topic.

    most_mentions: how many users a text notifies with all its edits; moved: the author of a topic
    and its new node, if it was moved.
    """
    if mentioned:
        of_post = (Notification.topic_id == topic_id, Notification.reply_id.is_(None))
        of_text = of_post if reply_id is None else (Notification.reply_id == reply_id,)
        is_mention = Notification.type == NotificationType.MENTION
        before = db.scalars(select(Notification.user_id).where(is_mention, *of_text)).all()
        mentioned = [user_id for user_id in mentioned if user_id not in before]
        mentioned = mentioned[: max(0, most_mentions - len(before))]
    if mentioned and moved is not None:
        # Before each locks its own: in one order.
        lock_users(db, User.id.in_({*mentioned, moved[0]}))
    notified: Sequence[int] = ()
    if mentioned:
        text = MentionType.TOPIC if reply_id is None else MentionType.REPLY
        subject = {"topic_id": topic_id, "reply_id": reply_id, "mention_type": str(text)}
        notified = send(db, NotificationType.MENTION, actor_id, now, mentioned, **subject)
    if moved is not None and moved[0] not in notified:
        author_id, node_id = moved
        subject = {"topic_id": topic_id, "node_id": node_id}
        send(db, NotificationType.NODE_CHANGED, actor_id, now, [author_id], **subject)


def notify_about_follow(db: Session, actor_id: int, now: datetime, target_id: int) -> None:
    """Notify a user about a follower, once for any number of follows and unfollows.

    The caller has locked both.
    """
    if not insert_or_ignore(
        db, FollowNotification, user_id=actor_id, target_id=target_id, created_at=now
    ):
        return
    if not send(db, NotificationType.FOLLOW, actor_id, now, [target_id]):
        # A user who blocks the follower is not notified, and may be after an unblock.
        pair = (FollowNotification.user_id == actor_id, FollowNotification.target_id == target_id)
        db.execute(delete_of(FollowNotification).where(*pair))


def unread_about_topic(topic_id: int) -> Select[Any]:
    """Return the SELECT of a user's id for each unread notification of `delete_for_topic`."""
    deleted = Notification.topic_id == topic_id, Notification.type != NotificationType.MODERATION
    return select(Notification.user_id).where(*deleted, Notification.read_at.is_(None))


def delete_for_topic(db: Session, topic_id: int) -> None:
    """Delete the notifications about a topic and its replies.

    What moderators told stays, with the title alone. The caller has locked the users of
    `recipients.notified_about_topic` and counts what is in `unread_about_topic`.
    """
    of_topic, of_moderators = Notification.topic_id == topic_id, NotificationType.MODERATION
    detached = update_of(Notification).where(of_topic, Notification.type == of_moderators)
    db.execute(detached.values(topic_id=None))
    db.execute(delete_of(Notification).where(of_topic))


def move_unread(
    db: Session,
    now: datetime,
    reply: ReplyRow,
    next_reply: Row[Any],
    next_user_id: int | None,
) -> None:
    """Point unread notifications about a deleted reply at the next reply.

    Only those of followers, who have no notification about the next reply. Users who may not be
    notified about it or have been already are left out, and the topic's author, who is notified
    about each. next_user_id: the first user whom a job has yet to notify about the next reply; the
    caller has locked that job, and the users of `recipients.notified_about_reply`. Their counters
    do not change.
    """
    reader = Notification.user_id
    unread = (
        Notification.reply_id == reply.id,
        Notification.type == NotificationType.TOPIC_REPLY,
        Notification.read_at.is_(None),
        reader.not_in([reply.topic_user_id, next_reply.user_id]),
    )
    # As if they had been notified about that reply when it was created.
    follows = select(TopicFollow.user_id).where(
        TopicFollow.topic_id == reply.topic_id, TopicFollow.created_at <= next_reply.created_at
    )
    blocks = select(UserBlock.user_id).where(UserBlock.target_id == next_reply.user_id)
    notified = select(Notification.user_id).where(Notification.reply_id == next_reply.id)
    conditions = [*unread, reader.in_(follows), reader.not_in(blocks.union_all(notified))]
    if next_user_id is not None:
        conditions.append(reader < next_user_id)
    moved = {
        "reply_id": next_reply.id,
        "actor_id": next_reply.user_id,
        "created_at": next_reply.created_at,
    }
    db.execute(update_of(Notification).where(*conditions).values(updated_at=now, **moved))


def delete(db: Session, matches: ColumnElement[bool]) -> None:
    """Delete notifications. The caller has locked the users who have them."""
    unread = Notification.read_at.is_(None)
    lost = (
        select(func.count())
        .where(Notification.user_id == User.id, matches, unread)
        .scalar_subquery()
    )
    readers = select(Notification.user_id).where(matches, unread)
    db.execute(
        update_without_invalidation(User)
        .where(User.id.in_(readers))
        .values(unread_count=at_least_zero(User.unread_count - lost))
    )
    db.execute(delete_of(Notification).where(matches))
