"""The settings of each start in the log, where they differ from those of the start before."""

import json
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...models import AdminAction, AuditRecord
from .. import deeds
from ..deeds import Deed

_LOOKED_AT = 100
"""As many of the newest records are looked through for the host's last one."""


def record_changes(db: Session, now: datetime, host: str, settings: Mapping[str, str]) -> None:
    """Record which settings a host has, unless its last record has the same.

    settings: those that are not the default, as `forumsvc settings` prints them: secrets masked.
    """
    before = _last(db, host)
    if before == settings:
        return
    was = before or {}
    changed = sorted(name for name in {*was, *settings} if was.get(name) != settings.get(name))
    details = {"host": host, "changed": changed, "settings": dict(settings)}
    deeds.record(db, Deed(AdminAction.SETTINGS_CHANGED, None, now, details=details))


def _last(db: Session, host: str) -> dict[str, str] | None:
    """Return the settings in the last record of a host, None without one."""
    newest = (
        select(AuditRecord.details)
        .where(AuditRecord.action == str(AdminAction.SETTINGS_CHANGED))
        .order_by(AuditRecord.id.desc())
        .limit(_LOOKED_AT)
    )
    for text in db.scalars(newest):
        details = json.loads(text or "{}")
        if details.get("host") == host:
            return dict(details["settings"])
    return None
