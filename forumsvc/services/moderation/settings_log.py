"""The settings of each start in the log, where they differ from those of the start before."""

import json
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...models import AdminAction, AuditRecord
from . import actions
from .actions import Action


def record_changes(db: Session, now: datetime, host: str, settings: Mapping[str, str]) -> None:
    """Record which settings a host has, unless its last record has the same.

    A host without a record, such as a container, which has a new name at each start, is compared
    with the newest record of any. settings: those that are not the default, as `forumsvc settings`
    prints them: secrets masked.
    """
    before = _last(db, host) or _last(db, None)
    if before == settings:
        return
    was = before or {}
    changed = sorted(name for name in {*was, *settings} if was.get(name) != settings.get(name))
    details = {"host": host, "changed": changed, "settings": dict(settings)}
    actions.record(db, Action(AdminAction.SETTINGS_CHANGED, None, now, details=details))


def _last(db: Session, host: str | None) -> dict[str, str] | None:
    """Return the settings in the last record of a host, or of any; None without one."""
    records = select(AuditRecord.details).where(
        AuditRecord.action == str(AdminAction.SETTINGS_CHANGED)
    )
    if host is not None:
        named = json.dumps({"host": host}, ensure_ascii=False)[1:-1]
        records = records.where(AuditRecord.details.contains(named, autoescape=True))
    text = db.scalar(records.order_by(AuditRecord.id.desc()).limit(1))
    return None if text is None else dict(json.loads(text)["settings"])
