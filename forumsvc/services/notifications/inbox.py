"""A user's own notifications: marking as read and deleting."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from ...cache.invalidation import update_without_invalidation
from ...db.statements import at_least_zero, delete_of, update_of
from ...errors import NotFound
from ...models import Notification, User
from ...queries.user_locks import lock_users


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


def mark_all_read(db: Session, user_id: int, now: datetime, newest_id: int) -> None:
    """Mark the user's notifications as read, up to the one with this id."""
    _mark_read(db, user_id, now, Notification.id <= newest_id)


def mark_topic_read(
    db: Session, user_id: int, now: datetime, topic_id: int, reply_ids: Sequence[int]
) -> None:
    """Mark as read what tells the user of a topic itself and of these replies to it."""
    is_seen = or_(Notification.reply_id.is_(None), Notification.reply_id.in_(reply_ids))
    _mark_read(db, user_id, now, and_(Notification.topic_id == topic_id, is_seen))


def _mark_read(db: Session, user_id: int, now: datetime, chosen: ColumnElement[bool]) -> bool:
    """Mark the chosen unread notifications of a user as read; return whether there were any."""
    lock_users(db, User.id == user_id)
    marked = db.scalars(
        update_of(Notification)
        .where(Notification.user_id == user_id, chosen, Notification.read_at.is_(None))
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
