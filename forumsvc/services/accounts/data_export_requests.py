"""Exports that people ask for: one a day, made by the background worker, kept for a week.

The file is a private one beside the photos, which all hosts share: so a worker on one host makes
it, and any host answers with it, to its owner alone. Its name is in the database before the file is
stored, and until it is removed: so no file is forgotten.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from io import SEEK_END, SEEK_SET, RawIOBase
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from ... import clock
from ...db.engine import Database
from ...db.execution import SqlConnection
from ...db.statements import delete_of, insert_row, last_inserted_id, update_of
from ...errors import too_many
from ...media.private_names import new_private_name
from ...models import DataExport, Job, JobKind, MailKind, User
from ...queries import data_exports
from ...queries.data_exports import ExportState
from ...queries.user_locks import lock_users
from .. import jobs, mails
from ..jobs import Claimed
from ..photos.storage import PhotoStorages

EVERY = timedelta(days=1)
"""How often a person may ask."""
KEPT = timedelta(days=7)
"""How long the file is there."""
LOCK = timedelta(minutes=5)
"""After how long another process begins the file again, because the first has died."""
BATCH_SIZE = 20
_PLACE: tuple[Any, ...] = (DataExport.storage, DataExport.file)


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
    """Take the export of a user away, and the job that makes it; the file follows (`remove`)."""
    db.execute(delete_of(Job).where(Job.kind == JobKind.EXPORT, Job.key == str(user_id)))
    gone = update_of(DataExport).values(user_id=None, expires_at=clock.now())
    db.execute(gone.where(DataExport.user_id == user_id))


class ExportFile(RawIOBase):
    """The file of an export: written on this disk, without a name, and then stored."""

    def __init__(self, database: Database, storages: PhotoStorages, job: Claimed) -> None:
        """job: of the kind `export`. Raises ExportStopped if it is not the claimer's own."""
        self._database = database
        self._storages = storages
        self._job = job
        self._file = TemporaryFile()  # noqa: SIM115 - `close` closes it
        with database.session.begin() as db:
            self._hold(db)

    def write(self, data: Any) -> int:
        """Write bytes. Raises ExportStopped."""
        self._renew(clock.now())
        return self._file.write(data)

    def read(self, size: int = -1) -> bytes:
        """Read bytes, for the storage. Raises ExportStopped."""
        self._renew(clock.now())
        return self._file.read(size)

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Move, for the storage; as of any file."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return where it is, or how much is written; as of any file."""
        return self._file.tell()

    def close(self) -> None:
        """Free the space on this disk."""
        self._file.close()
        super().close()

    def finish(self, now: datetime) -> None:
        """Store the file, say that it is ready, and finish the job.

        Raises ExportStopped, and OSError of the storage.
        """
        storage, name = self._storages.current, self._name()
        size = self._file.seek(0, SEEK_END)
        self._file.seek(0)
        storage.put_private(name, cast(BinaryIO, self))
        try:
            with self._database.session.begin() as db:
                self._hold(db)
                values = {"size": size, "ready_at": now, "expires_at": now + KEPT}
                ready = update_of(DataExport).where(*self._is_own).values(**values)
                is_wanted = db.scalar(ready.returning(DataExport.id)) is not None
                if is_wanted:
                    _tell(db, self._job, now)
                jobs.finish(db, self._job, now)
        except ExportStopped:
            storage.delete_private(name)
            raise
        if not is_wanted:
            storage.delete_private(name)

    @property
    def _is_own(self) -> tuple[Any, ...]:
        # By both: the rows of exports are in no dump, so an id may be another person's by now.
        of_user = DataExport.user_id == int(self._job.key)
        return (DataExport.id == self._job.data["export_id"], of_user)

    def _name(self) -> str:
        """Store the name of the file; remove what an attempt before has left."""
        self._renew(clock.now())
        with self._database.session.begin() as db:
            self._hold(db)  # the file of an attempt after this one stays
            before = db.execute(select(*_PLACE).where(*self._is_own)).one_or_none()
        if before is not None:
            _remove_file(self._storages, before)
        name = new_private_name()
        with self._database.session.begin() as db:
            self._hold(db)
            place = {"storage": self._storages.default, "file": name}
            db.execute(update_of(DataExport).where(*self._is_own).values(**place))
        return name

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
        text = {"url": job.data["url"] or "", "language": job.data["language"]}
        mails.enqueue(db, MailKind.DATA_READY, email, now, user_id=user_id, data=text)


def due(db: SqlConnection, now: datetime, after: int = 0) -> Sequence[Row[Any]]:
    """Return exports that have expired, up to BATCH_SIZE, without a lock.

    after: only those with a higher id.
    """
    query = select(DataExport.id, *_PLACE).where(DataExport.expires_at <= now)
    query = query.where(DataExport.id > after).order_by(DataExport.id)
    return db.execute(query.limit(BATCH_SIZE)).all()


def remove(db: Session, storages: PhotoStorages, export: Row[Any]) -> None:
    """Remove the file of an export, and then its row. export: as `due` returned it."""
    _remove_file(storages, export)  # before the first statement, which takes a lock
    db.execute(delete_of(DataExport).where(DataExport.id == export.id))


def remove_orphans(database: Database, storages: PhotoStorages, before: datetime) -> int:
    """Remove files that no row names, as after a restore; return how many.

    before: younger ones stay.
    """
    removed = 0
    for storage in storages.all():
        old = {item.name for item in storage.list_private() if item.modified < before}
        with database.reads.connect() as reads:
            known = set(reads.scalars(select(DataExport.file).where(DataExport.file.in_(old))))
        for name in old - known:
            storage.delete_private(name)
            removed += 1
    return removed


def _remove_file(storages: PhotoStorages, place: Row[Any]) -> None:
    storage = storages.get(place.storage) if place.file else None
    if storage is not None:
        storage.delete_private(place.file)
