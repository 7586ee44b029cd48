"""Verifying a backup by loading it, and restoring it: photos, then all rows in a transaction."""

import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import event, select, text
from sqlalchemy.orm import Session

from .. import clock, migrate
from ..cache.database import open_database
from ..db.engine import Database
from ..db.statements import delete_of, update_of
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
from ..services.photos.storage import PhotoStorages
from .archive import Archive
from .errors import DumpError
from .loading import load_dump
from .manifest import Manifest

_KEPT = {"change_marks", "hosts"}
"""Tables of processes that run, whose rows are no part of the forum."""
_GUARD = "audit_log_delete"


@dataclass(frozen=True)
class Loaded:
    """A whole backup. wrong_counters: of the forum it was made of; loading corrects them."""

    manifest: Manifest
    wrong_counters: int


def verify_backup(path: Path, work: Path) -> Loaded:
    """Check each digest and the photo files, and load the rows into a database of its own.

    work: a folder with room for that database. Raises DumpError for what does not hold.
    """
    archive = _open_checked(path)
    scratch = work / "scratch.sqlite"
    database = open_database(f"sqlite:///{scratch}")
    event.listen(database.writes, "connect", _without_flushes)
    try:
        wrong_counters = load_dump(database, archive, trust_html=True)
    finally:
        database.dispose()
        for file in work.glob(f"{scratch.name}*"):
            file.unlink()
    return Loaded(archive.manifest, wrong_counters)


def _open_checked(path: Path) -> Archive:
    """Return a backup of which each byte was compared with its digest. Raises DumpError."""
    archive = Archive(path)
    if not archive.manifest.secrets:
        raise DumpError(f"{path} is no backup, but a dump without secrets: use forumsvc load.")
    if path.stat().st_size % tarfile.RECORDSIZE:
        raise DumpError(f"{path} is no whole backup: its end is missing.")
    archive.check_tables()
    archive.check_photos()
    return archive


def _without_flushes(connection: Any, record: object) -> None:
    """Let the scratch database flush nothing: the service beside it would wait for the disk."""
    connection.execute("PRAGMA synchronous = OFF")


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
    *,
    replace: bool,
    keep_sessions: bool,
) -> Loaded:
    """Restore a backup into an empty database, all of it or nothing.

    A killed run leaves the database as it was, and perhaps photo files that no row names. The
    database counts as a copy afterwards, and `search reindex` has to make the index of the search.
    replace: delete what is in the database; keep_sessions: keep log-ins and tokens. Raises
    DumpError where the backup is damaged or of a newer revision, or the database has users.
    """
    if not replace and not is_empty(database):
        raise DumpError("The database has users or a log already: empty it, or use --replace.")
    archive = _open_checked(path)
    _upgrade(database)
    photos = archive.manifest.photos
    if photos is not None:
        _put_photos(archive, storages)

    def prepare(db: Session) -> None:
        if replace:
            _delete_all(db)

    def finish(db: Session) -> None:
        # It was under way when the backup was made.
        db.execute(delete_of(Job).where(Job.kind == JobKind.BACKUP))
        if not keep_sessions:
            for model in (BrowserSession, OAuthCode, OAuthToken):
                db.execute(delete_of(model))
        if photos is not None:
            db.execute(update_of(Photo).values(storage=storages.default))
        deployment.mark_as_copy(db, clock.now())

    wrong_counters = load_dump(database, archive, trust_html=True, prepare=prepare, finish=finish)
    return Loaded(archive.manifest, wrong_counters)


def _upgrade(database: Database) -> None:
    revision = migrate.current(database.reads)
    if migrate.is_behind(revision):
        migrate.upgrade(database.writes)
    elif revision != migrate.head():
        raise DumpError("The database is of a newer forumsvc: restore with that one.")


def _put_photos(archive: Archive, storages: PhotoStorages) -> None:
    for name, file in archive.photos():
        try:
            if not storages.current.put(name, file, media_type_of(name)):
                file.seek(0)
                _replace_damaged(storages.current, name, file)
        except OSError as error:
            raise DumpError(f"The photo {name} cannot be stored: {error}") from None


def _replace_damaged(storage: Storage, name: str, file: BinaryIO) -> None:
    """Store an image again whose file is there, of the right size, if its bytes are not right."""
    try:
        with storage.open(name) as stored:
            check_digest(name, stored)
    except ValueError:
        storage.delete(name)
        storage.put(name, file, media_type_of(name))


def _delete_all(db: Session) -> None:
    """Delete all rows, those of the log, too, which only a restore may."""
    tables = [
        sorted_table
        for sorted_table in Base.metadata.sorted_tables
        if sorted_table.name not in _KEPT
    ]
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
