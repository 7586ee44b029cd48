"""Counters that several services update. They count what is visible to everybody."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, case, func, literal, select, union, union_all
from sqlalchemy.orm import Session

from ...cache import invalidation
from ...cache.invalidation import update_without_invalidation
from ...db.base import BigId
from ...db.execution import SqlConnection
from ...db.statements import at_least_zero, delete_of, update_of
from ...models import Favorite, Node, Notification, Reply, Topic, User
from ...queries import recount
from ...queries.user_locks import lock_users
from ..notifications import notify, notify_jobs, recipients

STEPS = len(recount.recounts()) + 1
"""The number of steps of a check: one for each table."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for one counter column, or for the notifications, in numbers of rows."""

    name: str
    checked: int
    wrong: int


def check(db: SqlConnection, *, progress: Callable[[], None] = lambda: None) -> list[Finding]:
    """Compare every counter with a recount, and count the dangling notifications.

    progress: called after each of the `STEPS` steps.
    """
    findings = [_check_notifications(db)]
    progress()
    for item in recount.recounts():
        counts = db.execute(item.select_counts()).mappings().one()
        table = item.model.__tablename__
        findings += [
            Finding(f"{table}.{name}", counts["rows"], counts[name]) for name in item.expected
        ]
        progress()
    return findings


def fix(db: Session, *, progress: Callable[[], None] = lambda: None) -> None:
    """Delete the dangling notifications and set every wrong counter to its recount.

    db: a transaction in which each statement sees the same snapshot and a concurrently changed row
    is not overwritten (on PostgreSQL REPEATABLE READ); otherwise a counter that changes in the
    meantime drifts. progress: called after each of the `STEPS` steps.
    """
    invalidation.use_own_slot(db)
    # The likes of replies are in no topic list and in no column of a topic.
    invalidation.invalidate(db, invalidation.DISPLAY_NAMES)
    orphans = recount.orphans().scalar_subquery()
    db.execute(delete_of(Notification).where(Notification.id.in_(orphans)))
    progress()
    for item in recount.recounts():
        _fix_counters(db, item)
        progress()


def _check_notifications(db: SqlConnection) -> Finding:
    checked = db.execute(select(func.count()).select_from(Notification)).scalar_one()
    orphans = recount.orphans().subquery()
    wrong = db.execute(select(func.count()).select_from(orphans)).scalar_one()
    return Finding(Notification.__tablename__, checked, wrong)


def _fix_counters(db: Session, item: recount.Recount) -> None:
    wrong = item.select_wrong_rows().order_by(None).subquery()
    values = {name: wrong.c[f"expected_{name}"] for name in item.expected}
    db.execute(update_of(item.model).where(item.id == wrong.c.id).values(values))


def count_topic_shown(db: Session, topic_id: int, user_id: int, node_id: int) -> None:
    """Count a topic, its replies and its favorites, after it became visible."""
    _count_topic(db, topic_id, user_id, node_id, 1)


def count_topic_hidden(db: Session, topic_id: int, user_id: int, node_id: int) -> None:
    """Stop counting a topic, its replies and favorites, and delete its notifications."""
    notify_jobs.delete_for_topic(db, topic_id)
    unread = notify.unread_about_topic(topic_id)
    _count_topic(db, topic_id, user_id, node_id, -1, unread_count=unread)
    notify.delete_for_topic(db, topic_id)


def _count_topic(
    db: Session, topic_id: int, user_id: int, node_id: int, sign: int, **id_selects: Select[Any]
) -> None:
    """Count a topic. id_selects: by counter, the SELECT of a user's id for each row that counts."""
    db.execute(
        update_without_invalidation(Node)
        .where(Node.id == node_id)
        .values(topics_count=at_least_zero(Node.topics_count + sign))
    )
    shown_replies = Reply.topic_id == topic_id, Reply.deleted_at.is_(None)
    counted: dict[str, Select[Any]] = {
        "topics_count": select(literal(user_id, BigId).label("user_id")),
        "replies_count": select(Reply.user_id).where(*shown_replies),
        "favorites_count": select(Favorite.user_id).where(Favorite.topic_id == topic_id),
        **id_selects,
    }
    notified = (recipients.notified_about_topic(), recipients.reporters_of_topic())
    lock_users(db, User.id.in_(union(*counted.values(), *notified)), topic_id=topic_id)
    # In one UPDATE: everybody waits for those who replied, and writing their rows takes the time.
    selects = (ids.add_columns(literal(name).label("counter")) for name, ids in counted.items())
    rows = union_all(*selects).subquery()
    numbers = [func.sum(case((rows.c.counter == name, 1), else_=0)).label(name) for name in counted]
    by = select(rows.c.user_id, *numbers).group_by(rows.c.user_id).subquery()
    values = {name: at_least_zero(getattr(User, name) + sign * by.c[name]) for name in counted}
    db.execute(update_without_invalidation(User).where(User.id == by.c.user_id).values(values))


def count_replies_deleted(
    db: Session, topic_ids: Collection[int], reply_ids: Collection[int]
) -> None:
    """Subtract these deleted replies from the counters of their topics, which the caller locked."""
    deleted = select(func.count()).where(Reply.topic_id == Topic.id, Reply.id.in_(reply_ids))
    by_others = deleted.where(Reply.user_id != Topic.user_id).scalar_subquery()
    values = {
        "replies_count": at_least_zero(Topic.replies_count - deleted.scalar_subquery()),
        "others_replies_count": at_least_zero(Topic.others_replies_count - by_others),
    }
    db.execute(update_of(Topic).where(Topic.id.in_(topic_ids)).values(values))
    recompute_last_reply(db, topic_ids)


def recompute_last_reply(db: Session, topic_ids: Collection[int]) -> None:
    """Set the last reply of topics to the latest that is not deleted, or to none."""
    latest = (
        select(Reply)
        .where(Reply.topic_id == Topic.id, Reply.deleted_at.is_(None))
        .order_by(Reply.id.desc())
        .limit(1)
    )
    replied_at = latest.with_only_columns(Reply.created_at).scalar_subquery()
    db.execute(
        update_of(Topic)
        .where(Topic.id.in_(topic_ids))
        .values(
            last_reply_user_id=latest.with_only_columns(Reply.user_id).scalar_subquery(),
            replied_at=replied_at,
            last_active_at=func.coalesce(replied_at, Topic.created_at),
        )
    )
