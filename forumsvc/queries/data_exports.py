"""Loads the exports of people's own data."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from sqlalchemy import String, bindparam, case, cast, select

from ..db.base import UtcDateTime
from ..db.execution import ReadConnection, row
from ..models import DataExport, Job, JobKind, JobState


class ExportState(StrEnum):
    """WAITING for the background worker; READY: there is a file; FAILED: it was given up."""

    WAITING = "waiting"
    READY = "ready"
    FAILED = "failed"


class ExportRow(Protocol):
    """An export. size: in bytes, None until it is ready; storage, file: where the file is, None
    until it is written; state: an `ExportState`.
    """

    id: int
    size: int | None
    storage: str | None
    file: str | None
    requested_at: datetime
    expires_at: datetime
    state: str


_HAS_JOB = (
    select(Job.id)
    .where(
        *(Job.kind == JobKind.EXPORT, Job.key == cast(DataExport.user_id, String)),
        Job.state == JobState.WAITING,
    )
    .exists()
)
_STATE = case(
    (DataExport.ready_at.is_not(None), str(ExportState.READY)),
    (_HAS_JOB, str(ExportState.WAITING)),
    else_=str(ExportState.FAILED),
)
_COLUMNS: tuple[Any, ...] = (
    *(DataExport.id, DataExport.size, DataExport.requested_at, DataExport.expires_at),
    *(DataExport.storage, DataExport.file),
    _STATE.label("state"),
)
_OF_USER: Any = select(*_COLUMNS).where(
    DataExport.user_id == bindparam("user_id"),
    DataExport.expires_at > bindparam("now", type_=UtcDateTime),
)


def of_user(db: ReadConnection, user_id: int, now: datetime) -> ExportRow | None:
    """Return a user's export that has not expired, or None."""
    return row(db, _OF_USER, {"user_id": user_id, "now": now})
