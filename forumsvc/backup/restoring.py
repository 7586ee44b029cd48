"""Restoring a backup: the photos first, then all rows in one transaction."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from .. import clock, migrate
from ..db.engine import Database
from ..db.statements import delete_of, update_of
from ..dump import load_dump
from ..media.storage import Storage, check_digest, media_type_of
from ..models import (
    AuditRecord,
    Base,
    BrowserSession,
    Job,
    JobKind,
    OAuthCode,
    OAuthToken,
    Photo,
    User,
)
from ..services import deployment
from ..services.photo_storage import PhotoStorages
from .archive import Archive
from .errors import BackupError
from .manifest import Manifest

_KEPT = {"change_marks", "hosts"}
"""Tables of processes that run, whose rows are no part of the forum."""
_GUARD = "audit_log_delete"


@dataclass(frozen=True)
class Restored:
    """What was restored. counters: those that were wrong in the backup and were corrected."""

    manifest: Manifest
    rows: int
    counters: int


def is_empty(database: Database) -> bool:
    """Return whether a database has no tables, or neither users nor a log."""
    if migrate.current(database.reads) is None:
        return True
    with database.reads.connect() as db:
        user = db.scalar(select(User.id).where(User.is_builtin.is_(False)).limit(1))
        return user is None and db.scalar(select(AuditRecord.id).limit(1)) is None


def restore_backup(
    database: Database,
    storages: PhotoStorages,
    path: Path,
    work: Path,
    *,
    replace: bool,
    keep_sessions: bool,
) -> Restored:
    """Restore a backup into an empty database, all of it or nothing.

    A killed run leaves the database as it was, and perhaps photo files that no row names. The
    database counts as a copy afterwards, and `search reindex` has to make the index of the search.
    work: an empty folder for a copy of the rows; replace: delete what is in the database;
    keep_sessions: keep log-ins and tokens. Raises BackupError or DumpError where the backup is
    damaged or of a newer revision, or the database has users.
    """
    archive = Archive(path)
    if not replace and not is_empty(database):
        raise BackupError("The database has users or a log already: empty it, or use --replace.")
    archive.unpack(work / "unpacked")
    _upgrade(database)
    photos = archive.manifest.photos
    if photos is not None:
        _put_photos(archive, storages)
    counters = 0

    def prepare(db: Session) -> None:
        if replace:
            _delete_all(db)

    def finish(db: Session, wrong: int) -> None:
        nonlocal counters
        counters = wrong
        # It was under way when the backup was made.
        db.execute(delete_of(Job).where(Job.kind == JobKind.BACKUP))
        if not keep_sessions:
            for model in (BrowserSession, OAuthCode, OAuthToken):
                db.execute(delete_of(model))
        if photos is not None:
            db.execute(update_of(Photo).values(storage=storages.default))
        deployment.mark_as_copy(db, clock.now())

    dump = work / "unpacked"
    loaded = load_dump(database, dump, trust_html=True, prepare=prepare, finish=finish)
    return Restored(archive.manifest, loaded.rows, counters)


def _upgrade(database: Database) -> None:
    revision = migrate.current(database.reads)
    if migrate.is_behind(revision):
        migrate.upgrade(database.writes)
    elif revision != migrate.head():
        raise BackupError("The database is of a newer forumsvc: restore with that one.")


def _put_photos(archive: Archive, storages: PhotoStorages) -> None:
    for name, content in archive.photos():
        try:
            if not storages.current.put(name, BytesIO(content), media_type_of(name)):
                _replace_damaged(storages.current, name, content)
        except OSError as error:
            raise BackupError(f"The photo {name} cannot be stored: {error}") from None


def _replace_damaged(storage: Storage, name: str, content: bytes) -> None:
    """Store an image again whose file is there, of the right size, if its bytes are not right."""
    try:
        with storage.open(name) as file:
            check_digest(name, file)
    except ValueError:
        storage.delete(name)
        storage.put(name, BytesIO(content), media_type_of(name))


def _delete_all(db: Session) -> None:
    """Delete all rows, those of the log, too, which only a restore may."""
    tables = [one for one in Base.metadata.sorted_tables if one.name not in _KEPT]
    if db.get_bind().dialect.name == "postgresql":
        names = ", ".join(table.name for table in tables)
        db.execute(text("ALTER TABLE audit_log DISABLE TRIGGER USER"))
        db.execute(text(f"TRUNCATE {names}"))
        db.execute(text("ALTER TABLE audit_log ENABLE TRIGGER USER"))
        return
    guard = db.scalar(text(f"SELECT sql FROM sqlite_master WHERE name = '{_GUARD}'"))  # noqa: S608
    db.execute(text(f"DROP TRIGGER {_GUARD}"))
    db.execute(text("PRAGMA defer_foreign_keys = ON"))
    for table in reversed(tables):
        db.execute(table.delete())
    db.execute(text("PRAGMA defer_foreign_keys = OFF"))
    db.connection().exec_driver_sql(str(guard))
