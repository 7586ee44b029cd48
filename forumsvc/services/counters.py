"""Counters that several services update. They count what is visible to everybody."""

from typing import Any

from sqlalchemy import ColumnElement, Select, case, func, literal, select, union
from sqlalchemy.orm import Session

from ..cache.invalidation import update_without_invalidation
from ..db.base import BigId
from ..db.statements import at_least_zero, update_of
from ..models import Favorite, Node, Reply, Topic, User
from ..queries.user_locks import lock_users
from .notifications import jobs, notify, recipients


def count_topic_shown(db: Session, topic_id: int, user_id: int, node_id: int) -> None:
    """Count a topic, its replies and its favorites, after it became visible."""
    _count_topic(db, topic_id, user_id, node_id, 1)


def count_topic_hidden(db: Session, topic_id: int, user_id: int, node_id: int) -> None:
    """Stop counting a topic, its replies and favorites, and delete its notifications."""
    jobs.delete_for_topic(db, topic_id)
    _count_topic(db, topic_id, user_id, node_id, -1)
    notify.delete_for_topic(db, topic_id)


def _count_topic(db: Session, topic_id: int, user_id: int, node_id: int, sign: int) -> None:
    db.execute(
        update_without_invalidation(Node)
        .where(Node.id == node_id)
        .values(topics_count=at_least_zero(Node.topics_count + sign))
    )
    repliers = select(Reply.user_id).where(Reply.topic_id == topic_id, Reply.deleted_at.is_(None))
    favoriters = select(Favorite.user_id).where(Favorite.topic_id == topic_id)
    is_author = User.id == user_id
    counted_users = (select(literal(user_id, BigId)), repliers, favoriters)
    notified = (recipients.notified_about_topic(), recipients.reporters_of_topic())
    lock_users(db, User.id.in_(union(*counted_users, *notified)), topic_id=topic_id)
    db.execute(
        update_without_invalidation(User)
        .where(User.id.in_(union(*counted_users)))
        .values(
            topics_count=at_least_zero(User.topics_count + case((is_author, sign), else_=0)),
            replies_count=at_least_zero(
                User.replies_count + sign * _how_many(repliers, Reply.user_id)
            ),
            favorites_count=at_least_zero(
                User.favorites_count + sign * _how_many(favoriters, Favorite.user_id)
            ),
        )
    )


def _how_many(rows: Select[Any], owner: Any) -> ColumnElement[int]:
    return rows.with_only_columns(func.count()).where(owner == User.id).scalar_subquery()


def recompute_last_reply(db: Session, topic_id: int) -> None:
    """Set a topic's last reply to the latest that is not deleted, or to none."""
    latest = (
        select(Reply)
        .where(Reply.topic_id == Topic.id, Reply.deleted_at.is_(None))
        .order_by(Reply.id.desc())
        .limit(1)
    )
    replied_at = latest.with_only_columns(Reply.created_at).scalar_subquery()
    db.execute(
        update_of(Topic)
        .where(Topic.id == topic_id)
        .values(
            last_reply_user_id=latest.with_only_columns(Reply.user_id).scalar_subquery(),
            replied_at=replied_at,
            last_active_at=func.coalesce(replied_at, Topic.created_at),
        )
    )
