"""Making a backup: written, verified, and only then given its name."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from ..files import sync_folder
from .errors import BackupError
from .folder import PART, alone_in, remove_oldest, remove_unfinished
from .manifest import Manifest
from .verifying import Verified, verify_backup
from .writing import Source, lost_photos, write_tar


@dataclass(frozen=True)
class Made:
    """A whole backup. verified: None if it was not; lost: photos that have a row and no file;
    removed: older backups.
    """

    manifest: Manifest
    verified: Verified | None
    lost: list[str]
    removed: list[Path]


def make_backup(source: Source, path: Path, *, keep: int | None, verify: bool) -> Made:
    """Make a backup beside the running service. A killed run leaves a `.part`, the next removes it.

    keep: how many of such names stay in the folder, None: all; verify: also load it, beside it.
    Raises BackupBusy where another backup is being made in the folder, BackupError where the file
    is there or cannot be written; and DumpError.
    """
    try:
        with alone_in(path.parent) as work:
            return _make(source, path, work, keep, verify)
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error.strerror or error}") from None


def _make(source: Source, path: Path, work: Path, keep: int | None, verify: bool) -> Made:
    if path.exists():
        raise BackupError(f"{path} is there already.")
    remove_unfinished(path)
    part = path.with_name(path.name + PART)
    try:
        manifest = write_tar(source, part, work)
        shutil.rmtree(work / "written")
        verified = verify_backup(part, work) if verify else None
        part.rename(path)
        sync_folder(path.parent)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    missing = manifest.photos.missing if manifest.photos else ()
    removed = [] if keep is None else remove_oldest(path, keep)
    return Made(manifest, verified, [*lost_photos(source.database, missing)], removed)
