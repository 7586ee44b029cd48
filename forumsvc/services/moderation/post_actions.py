"""The trace of what moderators do to the posts of others: the log, and a word to the author."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...models import EventType, Topic
from . import audit_log, notices

_HIDING = frozenset({EventType.TOPIC_BANNED, EventType.TOPIC_DELETED, EventType.REPLY_DELETED})
_ONLY_BY_MODERATORS = frozenset(
    {
        EventType.TOPIC_BANNED,
        EventType.TOPIC_UNBANNED,
        EventType.TOPIC_FEATURED,
        EventType.TOPIC_UNFEATURED,
    }
)


def note(
    db: Session,
    type_: EventType,
    actor_id: int | None,
    now: datetime,
    *,
    author_id: int,
    topic_id: int,
    reply_id: int | None = None,
    reason: str | None = None,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Record what was done to a post, unless its author did what authors may do.

    reason: in the moderator's words; with one, the author is told.
    """
    is_own = actor_id == author_id
    if is_own and type_ not in _ONLY_BY_MODERATORS:
        return
    audit_log.record(
        db,
        type_,
        now,
        actor_id=actor_id,
        reason=reason,
        details=details,
        user_id=author_id,
        topic_id=topic_id,
        reply_id=reply_id,
    )
    if reason and not is_own:
        title = db.scalar(select(Topic.title).where(Topic.id == topic_id))
        shown_id = None if type_ in _HIDING else topic_id
        notices.notify(db, now, author_id, type_, reason=reason, title=title, topic_id=shown_id)
