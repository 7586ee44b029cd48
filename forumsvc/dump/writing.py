"""Writing a dump: a folder, or a tar."""

import gzip
import hashlib
import io
import os
import shutil
import tarfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import IO

from .. import clock
from ..db.engine import Database
from ..process.files import open_private, sync_folder
from .archive import forget_members
from .errors import DumpError
from .manifest import NAME, Manifest, Member, member_name
from .snapshot import is_current, open_snapshot
from .tables import dumped_tables

_COMPRESSION = 3
"""Of gzip. Higher levels take twice the time for a tenth of the size."""
_BLOCK = 2**18

Progress = Callable[[str], None]
"""Called with the name of each table that is done."""


def write_dump(
    database: Database,
    folder: Path,
    *,
    secrets: bool,
    progress: Progress = lambda table: None,
) -> Manifest:
    """Write all tables into a new folder, from one snapshot, while the service runs.

    secrets: whether password hashes, tokens and what else belongs to a whole forum are in it.
    It is written as `FOLDER.part` and renamed when it is on the disk. Returns its manifest. Raises
    DumpError where the folder or its `.part` is there, or it cannot be written.
    """
    with _part_of(folder) as part:
        manifest = write_members(database, part, secrets=secrets, progress=progress)
        sync_folder(part)
        part.rename(folder)
        sync_folder(folder.parent)
    return manifest


def write_tar(
    database: Database,
    path: Path,
    *,
    secrets: bool,
    progress: Progress = lambda table: None,
) -> Manifest:
    """Write a dump as one tar; see `write_dump`. Needs the space of two dumps meanwhile."""
    with _part_of(path) as part:
        manifest = write_members(database, part, secrets=secrets, progress=progress)
        with open_tar(part / "made.tar") as tar:
            add_tables(tar, part, manifest)
            add_manifest(tar, manifest)
        (part / "made.tar").rename(path)
        sync_folder(path.parent)
    return manifest


@contextmanager
def _part_of(path: Path) -> Iterator[Path]:
    """Make the folder `PATH.part` for a dump, and delete what is left in it afterwards."""
    part = path.with_name(f"{path.name}.part")
    if path.exists() or path.is_symlink():
        raise DumpError(f"{path} is there already.")
    if part.exists() or part.is_symlink():
        raise DumpError(f"{part} is there: delete it, unless another dump is writing it.")
    try:
        part.mkdir(mode=0o700)
        try:
            yield part
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise DumpError(f"{path} cannot be written: {error.strerror or error}") from None


def write_members(
    database: Database,
    folder: Path,
    *,
    secrets: bool,
    progress: Progress = lambda table: None,
) -> Manifest:
    """Write all tables and the manifest into an empty folder; see `write_dump`.

    Raises DumpError, OSError.
    """
    if not is_current(database):
        raise DumpError("The database is not at the revision of this code: run db upgrade.")
    tables: dict[str, Member] = {}
    created_at = clock.now().isoformat().replace("+00:00", "Z")
    with open_snapshot(database) as snapshot:
        for table in dumped_tables(secrets=secrets):
            path = folder / member_name(table.name)
            rows, sha256 = _write_lines(path, snapshot.lines(table, secrets=secrets))
            tables[table.name] = Member(rows, sha256, snapshot.last_id(table))
            progress(table.name)
    manifest = Manifest(version("forumsvc"), snapshot.revision, created_at, secrets, tables)
    with open(folder / NAME, "xb", opener=open_private) as file:
        file.write(manifest.to_json())
        file.flush()
        os.fsync(file.fileno())
    return manifest


def _write_lines(path: Path, blocks: Iterable[bytes]) -> tuple[int, str]:
    """Write blocks of lines, compressed; return the number of lines and the SHA-256 of the file."""
    rows, size, waiting = 0, 0, list[bytes]()
    with open(path, "x+b", opener=open_private) as file:
        with gzip.GzipFile("", "wb", _COMPRESSION, file, mtime=0) as packed:
            for block in blocks:
                rows += block.count(b"\n")
                size += len(block)
                waiting.append(block)
                if size > _BLOCK:
                    packed.write(b"".join(waiting))
                    size, waiting = 0, []
            packed.write(b"".join(waiting))
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        return rows, hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def open_tar(path: Path, *, comment: str = "") -> Iterator[tarfile.TarFile]:
    """Open a new tar that only its owner can read; it is on the disk at the end."""
    headers = {"comment": comment} if comment else {}
    with open(path, "xb", opener=open_private) as file:
        with tarfile.open(fileobj=file, mode="w", pax_headers=headers) as tar:
            yield tar
        file.flush()
        os.fsync(file.fileno())


def add_tables(tar: tarfile.TarFile, folder: Path, manifest: Manifest) -> None:
    """Add the tables of a dump in a folder to a tar."""
    for name in map(member_name, manifest.tables):
        with open(folder / name, "rb") as file:
            add_member(tar, name, file, os.fstat(file.fileno()).st_size)


def add_manifest(tar: tarfile.TarFile, manifest: Manifest) -> None:
    """Add the manifest to a tar as its last member: a file that was cut has none."""
    text = manifest.to_json()
    add_member(tar, NAME, io.BytesIO(text), len(text))


def add_member(tar: tarfile.TarFile, name: str, file: IO[bytes], size: int) -> None:
    """Add a file of that size to a tar."""
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = size, 0o600, int(time.time())
    tar.addfile(info, file)
    forget_members(tar)
