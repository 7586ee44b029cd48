"""The steps of an erasure that blank or delete the posts of the person."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import and_, func, or_, select, text
from sqlalchemy.orm import Session

from ....cache import topic_versions
from ....cache.invalidation import update_without_invalidation
from ....db.statements import at_least_zero, delete_of, update_of, with_row_locks
from ....markup import RENDERER_VERSION
from ....models import EventType, Notification, NotificationType, Reply, SweptPost, Topic, User
from ....models.topic import HIDDEN, VISIBLE
from ....queries import topics as topic_queries
from ....queries.user_locks import lock_users
from ...moderation import actions
from ...moderation.actions import Action
from ...notifications import notify
from ...posts import counters, post_versions, topics
from ...posts.purge import record_text_changed
from ..account_work import Account, Change, Step, Steps, by_index, by_scan
from .erasure import PostsErasure
from .texts import lock_topics_of


def _blank_topics(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    in_order = select(Topic.id).where(Topic.id.in_(keys)).order_by(Topic.id)
    ids = db.scalars(with_row_locks(in_order, Topic)).all()
    values = {**_blank(account), "title": account.removed, "updated_at": now}
    db.execute(update_of(Topic).where(Topic.id.in_(ids)).values(values))
    # A moderator may have edited one since the versions of the person were deleted.
    post_versions.delete_of_posts(db, topic_ids=ids)
    for topic_id in ids:
        record_text_changed(db, now, Topic, topic_id, topic_id)


def _blank_replies(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    lock_topics_of(db, keys)
    in_order: Any = select(Reply.id, Reply.topic_id).where(Reply.id.in_(keys)).order_by(Reply.id)
    rows = db.execute(with_row_locks(in_order, Reply)).all()
    values = {**_blank(account), "updated_at": now}
    ids = [row.id for row in rows]
    db.execute(update_of(Reply).where(Reply.id.in_(ids)).values(values))
    post_versions.delete_of_posts(db, reply_ids=ids)
    for topic_id in sorted({row.topic_id for row in rows}):
        topic_versions.bump(db, topic_id)
    for row in rows:
        record_text_changed(db, now, Reply, row.id, row.topic_id)


def _blank(account: Account) -> dict[str, Any]:
    html = f"<p>{account.removed}</p>"
    return {"body": account.removed, "body_html": html, "markup_version": RENDERER_VERSION}


def _delete_topics(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    for topic_id in keys:
        topic = topic_queries.state(db, topic_id, lock=True)
        if topic is not None:
            topics.destroy(db, None, now, topic)
            values = {"title": account.removed, "body": "", "body_html": ""}
            db.execute(update_of(Topic).where(Topic.id == topic_id).values(values))
            post_versions.delete_of_posts(db, topic_ids=[topic_id])
            record_text_changed(db, now, Topic, topic_id, topic_id)
    db.execute(
        delete_of(SweptPost).where(SweptPost.topic_id.in_(keys), SweptPost.reply_id.is_(None))
    )


def _delete_replies(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    """Delete replies as `replies.destroy` does, in one UPDATE of each table.

    Notifications by the person, and jobs that make them, are gone by now.
    """
    lock_topics_of(db, keys)
    counts = and_(*topic_queries.VISIBLE).label("counts")
    columns: list[Any] = [Reply.id, Reply.topic_id, Reply.deleted_at, counts]
    in_order = select(*columns).join(Topic).where(Reply.id.in_(keys)).order_by(Reply.id)
    rows = db.execute(with_row_locks(in_order, Reply)).all()
    ids, gone = [row.id for row in rows], [row for row in rows if row.deleted_at is None]
    notified = select(Notification.user_id).where(Notification.reply_id.in_(ids))
    lock_users(db, or_(User.id == account.user_id, User.id.in_(notified)))
    notify.delete(db, Notification.reply_id.in_(ids))
    empty: dict[str, Any] = {"body": "", "body_html": ""}
    deleted_at = func.coalesce(Reply.deleted_at, now)
    db.execute(update_of(Reply).where(Reply.id.in_(ids)).values(deleted_at=deleted_at, **empty))
    post_versions.delete_of_posts(db, reply_ids=ids)
    topic_ids = {row.topic_id for row in rows}
    counters.count_replies_deleted(db, topic_ids, [row.id for row in gone])
    fewer = at_least_zero(User.replies_count - sum(row.counts for row in gone))
    counted = update_without_invalidation(User).where(User.id == account.user_id)
    db.execute(counted.values(replies_count=fewer))
    db.execute(delete_of(SweptPost).where(SweptPost.reply_id.in_(ids)))
    for row in rows:
        if row.deleted_at is None:
            post = account.user_id, row.topic_id, row.id
            actions.record(db, Action(EventType.REPLY_DELETED, None, now, *post))
        else:
            record_text_changed(db, now, Reply, row.id, row.topic_id)


def _posts(
    model: Any, shown: str, hidden: str, change: Change, size: int, *, blanks: bool
) -> Steps:
    """Return the steps for the visible and the hidden posts, for each of which is an index.

    The visible ones come once more: one that was hidden at first may be shown since.
    """

    def where(only: str) -> Callable[[Account], Any]:
        return lambda account: and_(
            model.user_id == account.user_id, text(f"({only})"), _has_text(model, account, blanks)
        )

    name = model.__tablename__
    visible = Step(by_index(model, where(shown)), change, size)
    hidden_step = Step(by_index(model, where(hidden)), change, size)
    return {f"visible {name}": visible, f"hidden {name}": hidden_step, f"shown {name}": visible}


def _has_text(model: Any, account: Account, blanks: bool) -> Any:
    """Return the condition that an erasure has not emptied a post yet. blanks: by a fixed line."""
    has_body = model.body.not_in(("", account.removed)) if blanks else model.body != ""
    return or_(has_body, Topic.title != account.removed) if model is Topic else has_body


def _remove_titles(db: Session, now: datetime, account: Account, keys: Sequence[Any]) -> None:
    """Remove the titles of the person's topics from what moderators told others."""
    columns: list[Any] = [Notification.id, Notification.topic_id, Notification.details]
    in_order = select(*columns).where(Notification.id.in_(keys))
    rows = db.execute(with_row_locks(in_order.order_by(Notification.id), Notification)).all()
    # Older ones have the topic's id in the column alone, and if it was shown.
    details = [{"topic_id": row.topic_id, **json.loads(row.details or "{}")} for row in rows]
    ids = [
        detail["topic_id"] if isinstance(detail["topic_id"], int) else None for detail in details
    ]
    is_own = (Topic.id.in_(ids), Topic.user_id == account.user_id)
    own_ids = set(db.scalars(select(Topic.id).where(*is_own)))
    for row, item, topic_id in zip(rows, details, ids, strict=True):
        if topic_id in own_ids:
            new = json.dumps({**item, "title": account.removed}, ensure_ascii=False)
            update = update_without_invalidation(Notification).values(details=new)
            db.execute(update.where(Notification.id == row.id))


def _is_notice(account: Account) -> Any:
    return Notification.type == NotificationType.MODERATION


def _of_posts(topic: Change, reply: Change, topics_at_once: int, *, blanks: bool) -> Steps:
    """Return the steps. Replies come first: a topic that is deleted counts those that are left."""
    shown, hidden = "deleted_at IS NULL", "deleted_at IS NOT NULL"
    return {
        **_posts(Reply, shown, hidden, reply, 20, blanks=blanks),
        **_posts(Topic, VISIBLE, HIDDEN, topic, topics_at_once, blanks=blanks),
        "titles in notices": Step(by_scan(Notification, _is_notice), _remove_titles, 100),
    }


POST_STEPS: dict[str, Steps] = {
    PostsErasure.KEEP: {},
    PostsErasure.BLANK: _of_posts(_blank_topics, _blank_replies, 20, blanks=True),
    PostsErasure.DELETE: _of_posts(_delete_topics, _delete_replies, 1, blanks=False),
}
"""The steps, by what becomes of the posts."""
