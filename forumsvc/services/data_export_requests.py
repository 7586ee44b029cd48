"""Exports that people ask for: one a day, made by the background worker, kept for a week.

The file is stored in pieces, in the database, which all hosts share: so a worker on one host makes
it, and any host answers with it, to its owner alone.
"""

from datetime import datetime, timedelta
from io import RawIOBase
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from .. import clock
from ..db.engine import Database
from ..db.expired_rows import ExpiredRows
from ..db.statements import delete_of, insert_row, last_inserted_id, update_of
from ..errors import too_many
from ..models import DataExport, DataExportChunk, Job, JobKind, MailKind, User
from ..queries import data_exports
from ..queries.data_exports import ExportState
from ..queries.user_locks import lock_users
from . import jobs, mails
from .jobs import Claimed

EVERY = timedelta(days=1)
"""How often a person may ask."""
KEPT = timedelta(days=7)
"""How long the file is there."""
LOCK = timedelta(minutes=5)
"""After how long another process begins the file again, because the first has died."""
CHUNK_BYTES = 64 << 10


class ExportStopped(Exception):
    """The file is not written to its end: its job belongs to another process, or is to stop."""


def request(db: Session, user_id: int, now: datetime, *, url: str, language: str) -> None:
    """Have a user's data exported, in place of the export that is there.

    They get an email when it is ready, if their address is confirmed. url: of the page that has it,
    empty without one; language: of the email. Raises RateLimited within a day of the last time,
    unless that one has failed. While it is being made it stays the one.
    """
    lock_users(db, User.id == user_id)
    before = data_exports.of_user(db, user_id, now)
    if before is not None and before.state == ExportState.WAITING:
        return
    if before is not None and not may_ask(before, now):
        wait = before.requested_at + EVERY - now
        raise too_many(
            "Your data is exported once a day. Try again in %(seconds)d seconds.",
            int(wait.total_seconds()) + 1,
        )
    delete_of_user(db, user_id)
    values = {"user_id": user_id, "requested_at": now, "expires_at": now + KEPT}
    insert_row(db, DataExport, **values)
    export_id = db.scalars(select(last_inserted_id(DataExport))).one()
    data = {"export_id": export_id, "url": url, "language": language}
    jobs.enqueue(db, JobKind.EXPORT, now, data, user_id)


def may_ask(export: Any, now: datetime) -> bool:
    """Return whether a user may ask for an export. export: the present one, or None."""
    if export is None or export.state == ExportState.FAILED:
        return True
    return export.state == ExportState.READY and export.requested_at + EVERY <= now


def delete_of_user(db: Session, user_id: int) -> None:
    """Delete the export of a user, and the job that makes it; its pieces follow (`expired`)."""
    db.execute(delete_of(Job).where(Job.kind == JobKind.EXPORT, Job.key == str(user_id)))
    db.execute(delete_of(DataExport).where(DataExport.user_id == user_id))


class ExportFile(RawIOBase):
    """The file of an export while it is written: each piece is a transaction of its own.

    size: bytes that were written. Whatever is left of an attempt before is deleted at the begin.
    """

    def __init__(self, database: Database, job: Claimed) -> None:
        """job: of the kind `export`. Raises ExportStopped if it is not the claimer's own."""
        self.size = 0
        self._database = database
        self._job = job
        self._export_id: int = job.data["export_id"]
        self._number = 0
        self._waiting = bytearray()
        with database.session.begin() as db:
            self._hold(db)
            here = DataExportChunk.export_id == self._export_id
            db.execute(delete_of(DataExportChunk).where(here))

    def write(self, data: Any) -> int:
        """Write bytes. Raises ExportStopped."""
        self._waiting += data
        while len(self._waiting) >= CHUNK_BYTES:
            self._store(CHUNK_BYTES)
        return len(data)

    def finish(self, now: datetime) -> None:
        """Write the last piece, say that the file is ready, and finish the job.

        Raises ExportStopped.
        """
        self._store(len(self._waiting))
        with self._database.session.begin() as db:
            self._hold(db)
            values = {"size": self.size, "ready_at": now, "expires_at": now + KEPT}
            db.execute(
                update_of(DataExport).where(DataExport.id == self._export_id).values(**values)
            )
            _tell(db, self._job, now)
            jobs.finish(db, self._job, now)

    def _store(self, length: int) -> None:
        self._renew(clock.now())
        with self._database.session.begin() as db:
            self._hold(db)
            piece = {"export_id": self._export_id, "number": self._number}
            insert_row(db, DataExportChunk, **piece, content=bytes(self._waiting[:length]))
        del self._waiting[:length]
        self._number += 1
        self.size += length

    def _renew(self, now: datetime) -> None:
        """Keep others from the job while the file is written, however large it is."""
        if self._job.locked_until - now > LOCK / 2:
            return
        with self._database.session.begin() as db:
            until = jobs.renew(db, self._job, now, LOCK)
        if until is None:
            raise ExportStopped
        self._job.locked_until = until

    def _hold(self, db: Session) -> None:
        if not jobs.hold(db, self._job):
            raise ExportStopped


def _tell(db: Session, job: Claimed, now: datetime) -> None:
    user_id = int(job.key)
    is_confirmed = (User.id == user_id, User.email_confirmed_at.is_not(None))
    email = db.scalar(select(User.email).where(*is_confirmed))
    if email is not None:
        said = {"url": job.data["url"] or "", "language": job.data["language"]}
        mails.enqueue(db, MailKind.DATA_READY, email, now, user_id=user_id, data=said)


def expired() -> tuple[ExpiredRows, ExpiredRows]:
    """Return what may be deleted: exports after their time, and pieces of those that are gone."""
    there = select(DataExport.id).where(DataExport.id == DataExportChunk.export_id)
    return (
        ExpiredRows(DataExport, lambda now: [DataExport.expires_at <= now]),
        ExpiredRows(DataExportChunk, lambda now: [~there.exists()]),
    )
