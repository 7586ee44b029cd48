"""How what is in the log was done, and the deletion of old records; `deeds` inserts them."""

from datetime import datetime, timedelta

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from ...db.expired_rows import ExpiredRows
from ...db.statements import insert_row
from ...models import AdminAction, AuditRecord, Via, Visibility

_VIA = "via"
_TRIM_EVERY = timedelta(days=1)


def set_via(db: Session, via: Via) -> None:
    """Say how all that this session does is done; without it, by the service itself."""
    db.info[_VIA] = via


def via_of(db: Session, actor_id: int | None) -> Via:
    """Return how it was done: what a request does without an actor, the service does itself."""
    via: Via = db.info.get(_VIA, Via.AUTO)
    return Via.AUTO if actor_id is None and via is not Via.CLI else via


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
