"""The folder of backups: one is made at a time, unfinished ones are removed, and the oldest."""

import fcntl
import re
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..process.files import open_private
from .errors import BackupBusy, DumpError

MARK = "forumsvc backup"
"""The comment of the tar of a backup, by which it is known without reading it to its end."""
PART = ".part"
"""What the name of an unfinished backup ends in."""
_LOCK, _WORK = ".forumsvc-backup.lock", ".forumsvc-backup.work"


@contextmanager
def alone_in(folder: Path) -> Iterator[Path]:
    """Keep other backups out of a folder; yield an empty folder in it, which is removed at the end.

    The lock is the system's, so a killed process holds it no longer. Raises BackupBusy where
    another process has it, DumpError where this user may not open its file.
    """
    with _open_lock(folder / _LOCK) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupBusy(f"Another backup is being written into {folder}.") from None
        work = folder / _WORK
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(mode=0o700)
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _open_lock(path: Path) -> BinaryIO:
    try:
        return open(path, "ab", opener=open_private)
    except PermissionError:
        raise DumpError(
            f"{path} cannot be opened: Permission denied. If another user made a backup here, "
            "delete this file, and make all backups as the same user."
        ) from None


def remove_unfinished(path: Path) -> None:
    """Remove what killed runs left of this backup, and of others with such a name."""
    for part in _siblings(path, PART):
        part.unlink(missing_ok=True)


def remove_oldest(path: Path, keep: int) -> list[Path]:
    """Remove the oldest backups of such a name, `path` never, so that `keep` are left.

    Returns those that were removed. Names are alike if they differ in digits only. Files that are
    no backups are left alone.
    """
    others = [item for item in _siblings(path, "") if item != path and _is_backup(item)]
    others.sort(key=lambda one: (one.stat().st_mtime_ns, one.name), reverse=True)
    removed = others[keep - 1 :]
    for one in removed:
        one.unlink(missing_ok=True)
    return removed


def _siblings(path: Path, ending: str) -> list[Path]:
    """Return the files beside `path` whose names with this ending differ from it in digits only."""
    alike = re.compile(re.sub(r"[0-9]+", "[0-9]+", re.escape(path.name)) + re.escape(ending))
    return [item for item in path.parent.iterdir() if alike.fullmatch(item.name) and item.is_file()]


def _is_backup(path: Path) -> bool:
    try:
        with tarfile.open(path, "r:") as tar:
            return tar.pax_headers.get("comment") == MARK
    except (tarfile.TarError, OSError):
        return False
