"""Folders: space, and their file systems."""

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .finding import Finding, error, warning
from .installation import Installation

_LITTLE = 0.20
_TOO_LITTLE = 0.05

MOUNTS = Path("/proc/self/mountinfo")
"""All mounts that this process sees (Linux; proc_pid_mountinfo(5))."""

_NETWORK = {"9p", "afs", "beegfs", "ceph", "cifs", "davfs", "gfs2", "glusterfs", "lustre"} | {
    *("nfs", "nfs4", "ocfs2", "smb2", "smb3", "smbfs", "virtiofs", "vboxsf"),
}


def check_space(installation: Installation) -> Iterator[Finding]:
    """Yield the file systems with little space, each once."""
    by_device: dict[int, list[Path]] = defaultdict(list)
    for folder in _folders(installation):
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        by_device[existing.stat().st_dev].append(folder)
    for folders in by_device.values():
        names = ", ".join(map(str, folders))
        existing = next(path for path in (folders[0], *folders[0].parents) if path.exists())
        usage = shutil.disk_usage(existing)
        share = usage.free / usage.total if usage.total else 1
        if share < _LITTLE:
            kind = error if share < _TOO_LITTLE else warning
            yield kind(
                f"{share:.0%} of the disk of {names} is free, {usage.free / 1e9:.1f} GB: make "
                "room, or uploads fail first, and then all writes."
            )


def _folders(installation: Installation) -> Iterator[Path]:
    settings, here = installation.settings, installation.ini.parent
    if installation.database.is_sqlite:
        yield Path(installation.database.url.database or "").absolute().parent
    if settings["photos.storage"] == "local":
        yield here / settings["photos.dir"]
    if settings["mail.delivery"] == "folder":
        yield here / settings["mail.dir"]
    if settings["backup.dir"]:
        yield here / settings["backup.dir"]
    yield Path(tempfile.gettempdir())


@contextmanager
def temporary_folder(folder: Path) -> Iterator[Path]:
    """Create a folder and its parents, and remove those that did not exist before.

    Folders that belong to the user who runs the check might not be accessible to the service. A
    folder that is not empty stays. Raises OSError if the folder cannot be created.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    finally:
        for created in missing:
            with suppress(OSError):
                created.rmdir()


def network_file_system(folder: Path) -> str | None:
    """Return the kind of the network file system that a folder is on, else None.

    FUSE counts as one: what is behind it cannot be seen. None, too, if the system does not tell.
    """
    kind = _kind_of(folder.resolve())
    is_network = kind in _NETWORK or kind.startswith("fuse.") or kind == "fuse"
    return kind if is_network else None


def _kind_of(folder: Path) -> str:
    """Return the kind of the file system with the longest mount point above the folder."""
    best, kind = -1, ""
    for line in MOUNTS.read_text().splitlines() if MOUNTS.exists() else ():
        before, _, after = line.partition(" - ")
        mounted = before.split()[4].replace("\\040", " ")
        if len(mounted) >= best and folder.is_relative_to(mounted):
            best, kind = len(mounted), after.split()[0]
    return kind
