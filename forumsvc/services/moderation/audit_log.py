"""Recording what moderators and administrators do, in the transaction that does it."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from ...db.expired_rows import ExpiredRows
from ...db.statements import insert_row
from ...log_lines import REQUEST_ID
from ...models import AdminAction, AuditRecord, EventType, Via, Visibility
from .. import events

PUBLIC = frozenset(
    {
        EventType.TOPIC_BANNED,
        EventType.TOPIC_UNBANNED,
        EventType.TOPIC_CLOSED,
        EventType.TOPIC_OPENED,
        EventType.TOPIC_FEATURED,
        EventType.TOPIC_UNFEATURED,
        EventType.TOPIC_DELETED,
        EventType.TOPIC_RESTORED,
        EventType.REPLY_DELETED,
        EventType.REPLY_RESTORED,
    }
)
"""What everybody may know: what staff does to topics and replies."""
_FOR_ADMINS = frozenset(
    {EventType.USER_ROLE_CHANGED, EventType.USER_DELETED, *AdminAction}
    - {AdminAction.PHOTO_DELETED, AdminAction.POSTS_SWEPT}
)
_VIA = "via"
_NO_REQUEST = "-"
_TRIM_EVERY = timedelta(days=1)


def set_via(db: Session, via: Via) -> None:
    """Say how all that this session does is done; without it, by the service itself."""
    db.info[_VIA] = via


def record(
    db: Session,
    action: EventType | AdminAction,
    now: datetime,
    *,
    actor_id: int | None,
    reason: str | None = None,
    details: Mapping[str, Any] | None = None,
    **ids: int | None,
) -> None:
    """Record an action. It cannot be changed or taken back.

    actor_id: the user who did it, None at the command line and for the service itself; reason: in
    the moderator's words; details: a small JSON object, e.g. `before` and `after`, without email
    addresses and secrets; ids: user_id (whom it concerns), topic_id, reply_id, node_id.
    """
    if events.records_nothing(db):
        return
    request_id = REQUEST_ID.get()
    values: dict[str, Any] = {
        "created_at": now,
        "action": str(action),
        "visibility": str(_visibility(action)),
        "via": str(_via_of(db, actor_id)),
        "actor_id": actor_id,
        "reason": reason,
        "details": None if details is None else json.dumps(details, ensure_ascii=False),
        "request_id": None if request_id == _NO_REQUEST else request_id,
        **ids,
    }
    insert_row(db, AuditRecord, **values)


def _via_of(db: Session, actor_id: int | None) -> Via:
    """Return how it was done: what a request does without an actor, the service does itself."""
    via: Via = db.info.get(_VIA, Via.AUTO)
    return Via.AUTO if actor_id is None and via is not Via.CLI else via


def _visibility(action: EventType | AdminAction) -> Visibility:
    if action in PUBLIC:
        return Visibility.PUBLIC
    return Visibility.ADMIN if action in _FOR_ADMINS else Visibility.STAFF


def trim(db: Session, now: datetime, keep: timedelta) -> None:
    """Allow the deletion of records older than `keep`, and record that; see `trimmed`.

    At most once a day, and only if there is something to delete beside such records.
    """
    before = now - keep
    is_old = AuditRecord.created_at < before
    is_other = AuditRecord.action != AdminAction.LOG_TRIMMED
    is_allowed = (
        AuditRecord.created_at > now - _TRIM_EVERY,
        AuditRecord.trimmed_before > before - _TRIM_EVERY,
    )
    if db.scalar(select(exists().where(*is_allowed))):
        return
    if not db.scalar(select(exists().where(is_old, is_other))):
        return
    values = {"action": str(AdminAction.LOG_TRIMMED), "visibility": str(Visibility.ADMIN)}
    insert_row(db, AuditRecord, **values, created_at=now, via=str(Via.AUTO), trimmed_before=before)


def trimmed() -> ExpiredRows:
    """Return the records that `trim` has allowed to delete."""
    newest = select(func.max(AuditRecord.trimmed_before)).scalar_subquery()
    return ExpiredRows(AuditRecord, lambda now: [AuditRecord.created_at < newest])
