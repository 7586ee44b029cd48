"""Every counter recounted row by row in Python: slow, simple, and independent of the service's own
recount.
"""

from collections import Counter
from typing import Any

from sqlalchemy import select

from forumsvc.db.engine import Database
from forumsvc.models import (
    Base,
    Favorite,
    Node,
    Notification,
    Reply,
    ReplyLike,
    Topic,
    TopicLike,
    User,
    UserFollow,
)


def drift(database: Database) -> list[str]:
    """Return a line for every stored counter that differs from its recount."""
    with database.reads.connect() as db:

        def rows(model: type[Base]) -> list[Any]:
            table = model.__table__
            return list(db.execute(select(table).order_by(table.c.id)))

        topics, replies = rows(Topic), rows(Reply)
        notifications = rows(Notification)
        relations = {model: rows(model) for model in (Favorite, TopicLike, ReplyLike, UserFollow)}
        users, nodes = rows(User), rows(Node)
    shown = {t.id: t for t in topics if t.deleted_at is None and t.banned_at is None}
    left = [r for r in replies if r.deleted_at is None]
    seen = {r.id: r for r in left if r.topic_id in shown}
    expected: dict[tuple[str, str], Counter[int]] = {
        ("users", "topics_count"): Counter(t.user_id for t in shown.values()),
        ("users", "replies_count"): Counter(r.user_id for r in seen.values()),
        ("users", "following_count"): Counter(f.user_id for f in relations[UserFollow]),
        ("users", "followers_count"): Counter(f.target_id for f in relations[UserFollow]),
        ("users", "favorites_count"): Counter(
            f.user_id for f in relations[Favorite] if f.topic_id in shown
        ),
        ("users", "unread_count"): Counter(n.user_id for n in notifications if n.read_at is None),
        ("nodes", "topics_count"): Counter(t.node_id for t in shown.values()),
        ("topics", "replies_count"): Counter(r.topic_id for r in left),
        ("topics", "likes_count"): Counter(like.topic_id for like in relations[TopicLike]),
        ("replies", "likes_count"): Counter(like.reply_id for like in relations[ReplyLike]),
    }
    stored = {"users": users, "nodes": nodes, "topics": topics, "replies": replies}
    wrong = [
        f"{table} {row.id}: {column} is {getattr(row, column)}, not {counted[row.id]}"
        for (table, column), counted in expected.items()
        for row in stored[table]
        if getattr(row, column) != counted[row.id]
    ]
    last = {reply.topic_id: reply for reply in left}
    wrong += [
        f"topic {topic.id}: {column} is {found}, not {true}"
        for topic in topics
        for column, found, true in _activity(topic, last.get(topic.id))
        if found != true
    ]
    wrong += [
        f"notification {n.id} ({n.type}) points to what is not shown"
        for n in notifications
        if (n.topic_id is not None and n.topic_id not in shown)
        or (n.reply_id is not None and n.reply_id not in seen)
    ]
    return wrong


def _activity(topic: Any, last: Any) -> list[tuple[str, Any, Any]]:
    user_id, moment = (last.user_id, last.created_at) if last else (None, None)
    return [
        ("last_reply_user_id", topic.last_reply_user_id, user_id),
        ("replied_at", topic.replied_at, moment),
        ("last_active_at", topic.last_active_at, moment or topic.created_at),
    ]
