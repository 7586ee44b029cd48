"""When the last whole and verified backup of this database was made."""

import os
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from ..db.execution import SqlConnection
from ..db.expired_rows import ExpiredRows
from ..db.statements import delete_of, insert_of
from ..models import Job, JobKind, JobState, LastBackup
from ..queries import jobs

BUSY = os.EX_TEMPFAIL
"""The exit status of `forumsvc backup` where another one is being made in the folder, and of all
commands where the database is away."""
_ID = 1
_UNCLAIMED = timedelta(hours=1)
"""How long after it was due a job is nobody's: a worker with a plan claims it within seconds."""


def record(db: Session, made_at: datetime, file: str) -> None:
    """Write down that a backup is whole and verified. made_at: the moment of its rows."""
    values: dict[str, Any] = {"made_at": made_at, "file": file}
    insert = insert_of(LastBackup, db.get_bind().dialect.name).values(id=_ID, **values)
    db.execute(insert.on_conflict_do_update(index_elements=[LastBackup.id], set_=values))


def last_made_at(db: SqlConnection) -> datetime | None:
    """Return the moment of the rows of the last backup, None where there was none."""
    made_at: datetime | None = db.scalar(select(LastBackup.made_at))
    return made_at


def is_due(db: SqlConnection, now: datetime, every: timedelta) -> bool:
    """Return whether a backup is to be made by the plan: none waits, is made or was tried since."""
    newest = [job.created_at for job in jobs.newest(db, JobKind.BACKUP, None, 1)]
    if jobs.newest(db, JobKind.BACKUP, JobState.WAITING, 1):
        return False
    made_at = last_made_at(db)
    return all(moment + every <= now for moment in [*newest, *([made_at] if made_at else [])])


def forget_failures(db: Session) -> None:
    """Delete the jobs of backups that failed, after one that did not."""
    failed = (Job.kind == JobKind.BACKUP, Job.state == JobState.FAILED)
    db.execute(delete_of(Job).where(*failed))


def expired() -> ExpiredRows:
    """Return the jobs of a plan that was switched off."""

    def conditions(now: datetime) -> list[Any]:
        is_free = or_(Job.locked_until.is_(None), Job.locked_until <= now)
        is_waiting = (Job.kind == JobKind.BACKUP, Job.state == JobState.WAITING)
        return [*is_waiting, is_free, Job.due_at <= now - _UNCLAIMED]

    return ExpiredRows(Job, conditions)
