"""Writing a dump."""

import gzip
import hashlib
import os
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from .. import clock
from ..db.engine import Database
from ..files import open_private, sync_folder
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
    with _part_of(database, folder) as part:
        manifest = _write_members(database, part, secrets, progress)
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
    with _part_of(database, path) as part:
        manifest = _write_members(database, part, secrets, progress)
        made = part / "made.tar"
        with open(made, "xb", opener=open_private) as file:
            with tarfile.open(fileobj=file, mode="w") as tar:
                for name in [NAME, *map(member_name, manifest.tables)]:
                    tar.add(part / name, name)
            file.flush()
            os.fsync(file.fileno())
        made.rename(path)
        sync_folder(path.parent)
    return manifest


@contextmanager
def _part_of(database: Database, path: Path) -> Iterator[Path]:
    """Make the folder `PATH.part` for a dump, and delete what is left in it afterwards."""
    part = path.with_name(f"{path.name}.part")
    if path.exists() or path.is_symlink():
        raise DumpError(f"{path} is there already.")
    if part.exists() or part.is_symlink():
        raise DumpError(f"{part} is there: delete it, unless another dump is writing it.")
    if not is_current(database):
        raise DumpError("The database is not at the revision of this code: run db upgrade.")
    try:
        part.mkdir(mode=0o700)
        try:
            yield part
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise DumpError(f"{path} cannot be written: {error.strerror or error}") from None


def _write_members(database: Database, folder: Path, secrets: bool, progress: Progress) -> Manifest:
    tables: dict[str, Member] = {}
    created_at = clock.now().isoformat().replace("+00:00", "Z")
    with open_snapshot(database) as snapshot:
        for table in dumped_tables(secrets=secrets):
            path = folder / member_name(table.name)
            rows, sha256 = _write_lines(path, snapshot.lines(table, secrets=secrets))
            tables[table.name] = Member(rows, sha256, snapshot.last_id(table))
            progress(table.name)
    manifest = Manifest(version("forumsvc"), snapshot.revision, created_at, secrets, tables)
    with open(folder / NAME, "x", encoding="utf-8", opener=open_private) as file:
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
