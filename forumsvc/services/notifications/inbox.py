"""A user's own notifications: marking as read and deleting."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, func, or_, select, true, tuple_
from sqlalchemy.orm import Session, aliased

from ...cache.invalidation import update_without_invalidation
from ...db.statements import at_least_zero, delete_of, update_of
from ...errors import Invalid, NotFound
from ...models import Notification, NotificationType, Topic, TopicRead, User
from ...queries import topics
from ...queries.notification_groups import group_key
from ...queries.user_locks import lock_users
from ...text.messages import Clause


def mark_read(db: Session, user_id: int, now: datetime, ids: Sequence[int]) -> None:
    """Mark the user's notifications among these ids as read.

    Raises NotFound if ids are given and none is the user's.
    """
    if not ids:
        return
    chosen = Notification.id.in_(ids)
    if not _mark_read(db, user_id, now, chosen):
        is_own = (Notification.user_id == user_id, chosen)
        if db.execute(select(Notification.id).where(*is_own).limit(1)).first() is None:
            raise NotFound("None of these notifications is yours.")


def mark_all_read(
    db: Session,
    user_id: int,
    now: datetime,
    *,
    before: int | None = None,
    topic_id: int | None = None,
) -> None:
    """Mark the user's notifications as read.

    before: only those with a lower id; topic_id: only those about this topic. Raises Invalid for
    `topic_id` if there is no such topic.
    """
    if topic_id is not None and topics.state(db, topic_id) is None:
        raise Invalid("topic_id", Clause("there is no such topic"))
    only = []
    if before is not None:
        only.append(Notification.id < before)
    if topic_id is not None:
        only.append(Notification.topic_id == topic_id)
    _mark_read(db, user_id, now, *only)


def mark_group_read(db: Session, user_id: int, now: datetime, latest_id: int) -> None:
    """Mark a group of the user's notifications as read, up to the one with this id."""
    latest = aliased(Notification)
    group = select(latest.type, group_key(latest)).where(
        latest.id == latest_id, latest.user_id == user_id
    )
    is_of_group = tuple_(Notification.type, group_key(Notification)).in_(group)
    _mark_read(db, user_id, now, Notification.id <= latest_id, is_of_group)


_IS_NO_NOTICE = Notification.type.not_in(
    [NotificationType.MODERATION, NotificationType.NODE_CHANGED]
)


def mark_topic_read(
    db: Session,
    user_id: int,
    now: datetime,
    topic_id: int,
    reply_ids: Sequence[int] = (),
    *,
    until: int = 0,
    replies_until: int = 0,
    with_notices: bool = True,
) -> None:
    """Mark as read what notifies the user of a topic itself, of these replies, and of all replies
    up to the one with the id `until`.

    replies_until: also what notifies them of replies up to this one, but for mentions;
    with_notices: also what moderators did to the topic, which a page shows.
    """
    is_seen = or_(
        and_(Notification.reply_id.is_(None), true() if with_notices else _IS_NO_NOTICE),
        Notification.reply_id <= until,
        Notification.reply_id.in_(reply_ids),
        and_(
            Notification.type == NotificationType.TOPIC_REPLY,
            Notification.reply_id <= replies_until,
        ),
    )
    _mark_read(db, user_id, now, and_(Notification.topic_id == topic_id, is_seen))


def mark_replies_read(
    db: Session, user_id: int, now: datetime, until: int, node_id: int | None = None
) -> None:
    """Mark as read what notifies the user of replies up to this one, where they have a place.

    node_id: only in topics of this node. A mention in a topic that they never opened stays unread.
    The caller has locked the user.
    """
    places = select(TopicRead.topic_id).where(TopicRead.user_id == user_id)
    if node_id is not None:
        places = places.join(Topic, Topic.id == TopicRead.topic_id).where(Topic.node_id == node_id)
    _mark_locked_read(
        db, user_id, now, Notification.reply_id <= until, Notification.topic_id.in_(places)
    )


def _mark_read(db: Session, user_id: int, now: datetime, *chosen: ColumnElement[bool]) -> bool:
    """Mark the chosen unread notifications of a user as read; return whether there were any."""
    lock_users(db, User.id == user_id)
    return _mark_locked_read(db, user_id, now, *chosen)


def _mark_locked_read(
    db: Session, user_id: int, now: datetime, *chosen: ColumnElement[bool]
) -> bool:
    marked = db.scalars(
        update_of(Notification)
        .where(Notification.user_id == user_id, *chosen, Notification.read_at.is_(None))
        .values(read_at=now, updated_at=now)
        .returning(Notification.id)
    ).all()
    if marked:
        _lower_unread(db, user_id, len(marked))
    return bool(marked)


def delete_one(db: Session, user_id: int, notification_id: int) -> None:
    """Delete one of the user's notifications."""
    _delete(db, user_id, Notification.id == notification_id)


def delete_all(db: Session, user_id: int) -> None:
    """Delete all of the user's notifications."""
    _delete(db, user_id)


def _delete(db: Session, user_id: int, *only: ColumnElement[bool]) -> None:
    lock_users(db, User.id == user_id)
    is_own = (Notification.user_id == user_id, *only)
    unread = db.scalar(
        select(func.count())
        .select_from(Notification)
        .where(*is_own, Notification.read_at.is_(None))
    )
    db.execute(delete_of(Notification).where(*is_own))
    if unread:
        _lower_unread(db, user_id, unread)


def _lower_unread(db: Session, user_id: int, by: int) -> None:
    db.execute(
        update_without_invalidation(User)
        .where(User.id == user_id)
        .values(unread_count=at_least_zero(User.unread_count - by))
    )
