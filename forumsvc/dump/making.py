"""Making a backup, a dump with secrets and photos: written, verified, only then given its name."""

import hashlib
import io
import shutil
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..db.engine import Database
from ..errors import NotFound
from ..media.storage import parse_digest
from ..process.files import sync_folder
from ..queries import photos
from ..services.photos.storage import PhotoStorages
from .archive import PHOTOS, Archive
from .backup_folder import MARK, PART, alone_in, remove_oldest, remove_unfinished
from .errors import DumpError
from .manifest import Manifest, Photos
from .restoring import Loaded, verify_backup
from .writing import add_manifest, add_member, add_tables, open_tar, write_members


@dataclass(frozen=True)
class Made:
    """A whole backup. verified: None if it was not; lost: photos that have a row and no file;
    removed: older backups.
    """

    manifest: Manifest
    verified: Loaded | None
    lost: list[str]
    removed: list[Path]


def make_backup(
    database: Database,
    storages: PhotoStorages | None,
    path: Path,
    *,
    site_url: str,
    keep: int | None,
    verify: bool,
) -> Made:
    """Make a backup beside the running service. A killed run leaves a `.part`, the next removes it.

    storages: of the photos, None to leave them out; keep: how many of such names stay in the
    folder, None: all; verify: also load it, beside it. Raises BackupBusy where another backup is
    being made in the folder, DumpError where the file is there or cannot be written.
    """
    try:
        with alone_in(path.parent) as work:
            if path.exists():
                raise DumpError(f"{path} is there already.")
            remove_unfinished(path)
            part = path.with_name(path.name + PART)
            try:
                manifest = _write(database, storages, part, work / "rows", site_url)
                verified = verify_backup(part, work) if verify else None
                part.rename(path)
                sync_folder(path.parent)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
            missing = manifest.photos.missing if manifest.photos else ()
            removed = [] if keep is None else remove_oldest(path, keep)
            return Made(manifest, verified, [*_lost_photos(database, missing)], removed)
    except OSError as error:
        raise DumpError(f"{path} cannot be written: {error.strerror or error}") from None


def _write(
    database: Database, storages: PhotoStorages | None, path: Path, rows: Path, site_url: str
) -> Manifest:
    """Write the tar. rows: gets a copy of the rows meanwhile, which are those of one moment."""
    rows.mkdir(mode=0o700)
    manifest = replace(write_members(database, rows, secrets=True), site_url=site_url)
    with open_tar(path, comment=MARK) as tar:
        add_tables(tar, rows, manifest)
        if storages is not None:
            names = Archive(rows).photo_names()
            manifest = replace(manifest, photos=_add_photos(tar, database, storages, names))
        add_manifest(tar, manifest)
    shutil.rmtree(rows)
    return manifest


def _add_photos(
    tar: tarfile.TarFile, database: Database, storages: PhotoStorages, names: set[str]
) -> Photos:
    """Add these photo files; one that is missing or damaged is named in the result instead."""
    files = size = 0
    missing = []
    with database.reads.connect() as db:
        for name in sorted(names):
            try:
                with storages.open(db, name) as opened:
                    content = opened.read()
            except NotFound:
                missing.append(name)
                continue
            except OSError as error:
                raise DumpError(f"The photo {name} cannot be read: {error}") from None
            if hashlib.sha256(content).hexdigest() != parse_digest(name):
                missing.append(name)
                continue
            add_member(tar, PHOTOS + name, io.BytesIO(content), len(content))
            files, size = files + 1, size + len(content)
    if missing and not files and any(_lost_photos(database, missing)):
        raise DumpError(
            f"None of the {len(missing)} photos has a file: are the settings photos.* right?"
        )
    return Photos(files, size, tuple(missing))


def _lost_photos(database: Database, names: Sequence[str]) -> Iterator[str]:
    """Yield those of the names that rows still have: the others were deleted meanwhile."""
    with database.reads.connect() as db:
        for start in range(0, len(names), 500):
            yield from sorted(photos.named(db, names[start : start + 500]))
