"""How what is in the log was done, and the deletion of old records; `actions` inserts them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from ...db.execution import is_sqlite
from ...db.expired_rows import ExpiredRows
from ...db.statements import insert_row
from ...models import AdminAction, AuditRecord, Via, Visibility

_VIA = "via"
_COMMAND = "who runs the command"
_TRIM_EVERY = timedelta(days=1)


def set_via(db: Session, via: Via) -> None:
    """Say how all that this session does is done; without it, by the service itself."""
    db.info[_VIA] = via


def via_of(db: Session, actor_id: int | None) -> Via:
    """Return how it was done: what a request does without an actor, the service does itself."""
    via: Via = db.info.get(_VIA, Via.AUTO)
    return Via.AUTO if actor_id is None and via is not Via.CLI else via


def set_command(db: Session, system_user: str, actor_id: int | None) -> None:
    """Say that a command does all that this session does, and who runs it.

    system_user: the login name on this machine; actor_id: the user whom they say they are, if any.
    """
    set_via(db, Via.CLI)
    db.info[_COMMAND] = system_user, actor_id


def actor_of(db: Session, actor_id: int | None) -> int | None:
    """Return the user who did it: `actor_id`, or who runs the command."""
    return db.info.get(_COMMAND, ("", None))[1] if actor_id is None else actor_id


def details_of(db: Session, details: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the details of a record, and in those of a command the login name on the machine."""
    if _COMMAND not in db.info:
        return details
    return {**(details or {}), "system_user": db.info[_COMMAND][0]}


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


def may_delete(db: Session) -> bool:
    """Return whether the role of the database may delete records at all."""
    if is_sqlite(db):
        return True
    return bool(db.scalar(select(func.has_table_privilege(AuditRecord.__tablename__, "DELETE"))))


def trimmed(keep: timedelta) -> ExpiredRows:
    """Return the records older than `keep` that `trim` has allowed to delete.

    A role that may add any record may say in one that more can go; so `keep` counts, too.
    """
    newest = select(func.max(AuditRecord.trimmed_before)).scalar_subquery()
    return ExpiredRows(
        AuditRecord,
        lambda now: [AuditRecord.created_at < newest, AuditRecord.created_at < now - keep],
    )
