"""Telling a user what moderators did about them: a notification in the transaction that does it."""

import json
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, insert, literal, select
from sqlalchemy.orm import Session

from ...cache.invalidation import update_without_invalidation
from ...clock import rfc3339_or_none
from ...models import Notification, NotificationType, Topic, User
from ...queries.user_locks import lock_users
from . import builtin_user


def notify(db: Session, now: datetime, user_id: int, action: str, **about: Any) -> None:
    """Notify a user of an action of a moderator, as `notify_all` does."""
    notify_all(db, now, select(User.id).where(User.id == user_id), action, **about)


def notify_all(
    db: Session,
    now: datetime,
    user_ids: Select[Any],
    action: str,
    *,
    reason: str | None,
    until: datetime | None = None,
    title: str | None = None,
    topic_id: int | None = None,
    links: bool = False,
) -> None:
    """Notify users of an action of a moderator, whom the notification does not name.

    action: an EventType, or what became of a report; until: when a silence ends; topic_id: of the
    topic that it is about; title: where there is none; links: whether it leads to the topic, unless
    that is hidden. The number of statements does not depend on that of the users.
    """
    shown_id = None
    if topic_id is not None:
        is_visible = and_(Topic.deleted_at.is_(None), Topic.banned_at.is_(None))
        columns = select(Topic.title, is_visible.label("is_visible"))
        topic = db.execute(columns.where(Topic.id == topic_id)).one()
        title = topic.title
        shown_id = topic_id if links and topic.is_visible else None
    details = {
        "action": str(action),
        "reason": reason,
        "until": rfc3339_or_none(until),
        "title": title,
    }
    values = {
        "actor_id": builtin_user.get_or_create(db, now),
        "type": str(NotificationType.MODERATION),
        "topic_id": shown_id,
        "details": json.dumps(details, ensure_ascii=False),
        "created_at": now,
        "updated_at": now,
    }
    is_recipient = User.id.in_(user_ids)
    lock_users(db, is_recipient)
    types = Notification.__table__.c
    literals = [literal(value, types[name].type) for name, value in values.items()]
    rows = select(User.id, *literals).where(is_recipient)
    db.execute(insert(Notification).from_select(["user_id", *values], rows))
    counted = update_without_invalidation(User).values(unread_count=User.unread_count + 1)
    db.execute(counted.where(is_recipient))
