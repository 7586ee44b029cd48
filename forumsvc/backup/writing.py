"""Writing the tar of a backup."""

import hashlib
import io
import os
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ..db.engine import Database
from ..dump import write_dump
from ..errors import NotFound
from ..files import open_private
from ..media.storage import parse_digest
from ..queries import photos
from ..services.photo_storage import PhotoStorages
from .errors import BackupError
from .folder import forget_members
from .manifest import DUMP, NAME, PHOTOS, Manifest, Member, Photos
from .photo_names import photo_names


@dataclass(frozen=True)
class Source:
    """What is backed up. storages: of the photos, None to leave them out; site_url: `site.url`."""

    database: Database
    storages: PhotoStorages | None
    site_url: str


def write_tar(source: Source, path: Path, work: Path) -> Manifest:
    """Write a backup into a new file that only its owner can read; it is on the disk at the end.

    The rows are those of one moment. A photo whose file is missing or damaged is named in the
    manifest. work: an empty folder, which gets a copy of the rows. Raises BackupError, DumpError,
    OSError.
    """
    dump = work / "written"
    written = write_dump(source.database, dump, secrets=True)
    members: dict[str, Member] = {}
    with open(path, "xb", opener=open_private) as file, tarfile.open(fileobj=file, mode="w") as tar:
        for one in sorted(dump.iterdir()):
            with one.open("rb") as opened:
                sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
                opened.seek(0)
                members[DUMP + one.name] = Member(one.stat().st_size, sha256)
                _add(tar, DUMP + one.name, opened, one.stat().st_size)
        stored = _add_photos(tar, source, source.storages, dump) if source.storages else None
        assert written.revision is not None, "a forum made the dump"  # noqa: S101 - an invariant
        manifest = Manifest(
            written.forumsvc_version,
            written.revision,
            source.site_url,
            written.created_at,
            members,
            stored,
        )
        text = manifest.to_json()
        _add(tar, NAME, io.BytesIO(text), len(text))
        tar.close()
        file.flush()
        os.fsync(file.fileno())
    return manifest


def _add_photos(
    tar: tarfile.TarFile, source: Source, storages: PhotoStorages, dump: Path
) -> Photos:
    files = size = 0
    missing = []
    with source.database.reads.connect() as db:
        for name in sorted(photo_names(dump)):
            try:
                with storages.open(db, name) as opened:
                    content = opened.read()
            except NotFound:
                missing.append(name)
                continue
            except OSError as error:
                raise BackupError(f"The photo {name} cannot be read: {error}") from None
            if hashlib.sha256(content).hexdigest() != parse_digest(name):
                missing.append(name)
                continue
            _add(tar, PHOTOS + name, io.BytesIO(content), len(content))
            files, size = files + 1, size + len(content)
    if missing and not files and any(lost_photos(source.database, missing)):
        raise BackupError(
            f"None of the {len(missing)} photos has a file: are the settings photos.* right?"
        )
    return Photos(files, size, tuple(missing))


def lost_photos(database: Database, names: list[str] | tuple[str, ...]) -> Iterator[str]:
    """Yield those of the names that rows still have: the others were deleted meanwhile."""
    with database.reads.connect() as db:
        for start in range(0, len(names), 500):
            yield from sorted(photos.named(db, names[start : start + 500]))


def _add(tar: tarfile.TarFile, name: str, file: IO[bytes], size: int) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = size, 0o600, int(time.time())
    tar.addfile(info, file)
    forget_members(tar)
