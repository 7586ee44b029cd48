"""Likes, follows, favorites, blocks and mutes: idempotent, and counted only if a row changed."""

from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Integer, bindparam, case, select
from sqlalchemy.orm import Session

from ...cache import topic_versions
from ...cache.invalidation import update_without_invalidation
from ...db.base import BigId
from ...db.execution import rows
from ...db.statements import at_least_zero, delete_row, execute, insert_or_ignore, update_of
from ...models import (
    EventType,
    Favorite,
    NodeMute,
    Reply,
    ReplyLike,
    Topic,
    TopicFollow,
    TopicLike,
    User,
    UserBlock,
    UserFollow,
)
from ...queries.rows import TopicStateRow
from ...queries.user_locks import lock_users
from .. import events
from ..notifications import notify
from . import reading


def like_topic(db: Session, actor_id: int, now: datetime, topic_id: int) -> int:
    """Like a topic and return its number of likes."""
    new = insert_or_ignore(db, TopicLike, user_id=actor_id, topic_id=topic_id, created_at=now)
    return _count_likes(db, Topic, topic_id, new, actor_id, now)


def unlike_topic(db: Session, actor_id: int, now: datetime, topic_id: int) -> int:
    """Unlike a topic and return its number of likes."""
    gone = delete_row(db, TopicLike, user_id=actor_id, topic_id=topic_id)
    return _count_likes(db, Topic, topic_id, -gone, actor_id, now)


def like_reply(db: Session, actor_id: int, now: datetime, reply_id: int) -> int:
    """Like a reply and return its number of likes."""
    new = insert_or_ignore(db, ReplyLike, user_id=actor_id, reply_id=reply_id, created_at=now)
    return _count_likes(db, Reply, reply_id, new, actor_id, now)


def unlike_reply(db: Session, actor_id: int, now: datetime, reply_id: int) -> int:
    """Unlike a reply and return its number of likes."""
    gone = delete_row(db, ReplyLike, user_id=actor_id, reply_id=reply_id)
    return _count_likes(db, Reply, reply_id, -gone, actor_id, now)


def _count_likes(
    db: Session,
    model: type[Topic] | type[Reply],
    liked_id: int,
    by: int,
    actor_id: int,
    now: datetime,
) -> int:
    """Add `by` to the likes of a topic or reply, record it, and return their number."""
    if not by:
        [row] = rows(db, _select_likes_count(model), {"liked_id": liked_id})
        return int(row.likes_count)
    type_ = EventType.LIKE_CREATED if by > 0 else EventType.LIKE_DELETED
    kind = "reply" if model is Reply else "topic"
    ids = {f"{kind}_id": liked_id}
    events.record(db, type_, now, actor_id=actor_id, data={"obj_type": kind}, **ids)
    if model is Reply:
        topic_versions.bump_for_reply(db, liked_id)
    [counted] = execute(db, _update_likes_count(model), {"liked_id": liked_id, "by": by})
    return int(counted.likes_count)


@cache
def _select_likes_count(model: type[Topic] | type[Reply]) -> Any:
    return select(model.likes_count).where(model.id == bindparam("liked_id", type_=BigId))


@cache
def _update_likes_count(model: type[Topic] | type[Reply]) -> Any:
    likes = at_least_zero(model.likes_count + bindparam("by", type_=Integer))
    is_match = model.id == bindparam("liked_id", type_=BigId)
    return update_of(model).where(is_match).values(likes_count=likes).returning(model.likes_count)


def follow_topic(db: Session, actor_id: int, now: datetime, topic_id: int) -> None:
    """Follow a topic: the user is notified about new replies."""
    if insert_or_ignore(db, TopicFollow, user_id=actor_id, topic_id=topic_id, created_at=now):
        reading.begin(db, actor_id, topic_id)
        data = {"obj_type": "topic"}
        type_ = EventType.FOLLOW_CREATED
        events.record(db, type_, now, actor_id=actor_id, data=data, topic_id=topic_id)


def unfollow_topic(db: Session, actor_id: int, topic_id: int) -> None:
    delete_row(db, TopicFollow, user_id=actor_id, topic_id=topic_id)


def favorite(db: Session, actor_id: int, now: datetime, topic: TopicStateRow) -> None:
    """Add a topic to the user's favorites. The caller has locked the topic."""
    new = insert_or_ignore(db, Favorite, user_id=actor_id, topic_id=topic.id, created_at=now)
    _count_favorite(db, actor_id, topic, new)


def unfavorite(db: Session, actor_id: int, topic: TopicStateRow) -> None:
    """Remove a topic from the user's favorites. The caller has locked the topic."""
    _count_favorite(
        db, actor_id, topic, -delete_row(db, Favorite, user_id=actor_id, topic_id=topic.id)
    )


def _count_favorite(db: Session, user_id: int, topic: TopicStateRow, by: int) -> None:
    if by and topic.deleted_at is None and topic.banned_at is None:
        execute(db, _UPDATE_FAVORITES_COUNT, {"owner_id": user_id, "by": by})


_UPDATE_FAVORITES_COUNT: Any = (
    update_without_invalidation(User)
    .where(User.id == bindparam("owner_id", type_=BigId))
    .values(favorites_count=at_least_zero(User.favorites_count + bindparam("by", type_=Integer)))
)


def follow_user(db: Session, actor_id: int, now: datetime, target_id: int) -> None:
    """Follow a user and notify them, once. The follower is notified about new topics."""
    if insert_or_ignore(db, UserFollow, user_id=actor_id, target_id=target_id, created_at=now):
        _lock_both(db, actor_id, target_id)
        notify.notify_about_follow(db, actor_id, now, target_id)
        _count_follow(db, actor_id, target_id, 1)
        data = {"obj_type": "user"}
        type_ = EventType.FOLLOW_CREATED
        events.record(db, type_, now, actor_id=actor_id, data=data, user_id=target_id)


def unfollow_user(db: Session, actor_id: int, target_id: int) -> None:
    _lock_both(db, actor_id, target_id)  # first, as an erasure does
    if delete_row(db, UserFollow, user_id=actor_id, target_id=target_id):
        _count_follow(db, actor_id, target_id, -1)


def _lock_both(db: Session, actor_id: int, target_id: int) -> None:
    lock_users(db, User.id.in_([actor_id, target_id]))


def _count_follow(db: Session, actor_id: int, target_id: int, by: int) -> None:
    is_actor = User.id == actor_id
    values: dict[str, Any] = {
        "following_count": at_least_zero(User.following_count + case((is_actor, by), else_=0)),
        "followers_count": at_least_zero(User.followers_count + case((is_actor, 0), else_=by)),
    }
    counted = update_without_invalidation(User).where(User.id.in_([actor_id, target_id]))
    db.execute(counted.values(**values))


def block_user(db: Session, actor_id: int, now: datetime, target_id: int) -> None:
    """Block a user: their topics are not listed, and they cause no notifications."""
    insert_or_ignore(db, UserBlock, user_id=actor_id, target_id=target_id, created_at=now)


def unblock_user(db: Session, actor_id: int, target_id: int) -> None:
    delete_row(db, UserBlock, user_id=actor_id, target_id=target_id)


def mute_node(db: Session, actor_id: int, now: datetime, node_id: int) -> None:
    """Mute a node: the forum's list is without its topics for the user."""
    insert_or_ignore(db, NodeMute, user_id=actor_id, node_id=node_id, created_at=now)


def unmute_node(db: Session, actor_id: int, node_id: int) -> None:
    delete_row(db, NodeMute, user_id=actor_id, node_id=node_id)
