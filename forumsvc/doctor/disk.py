"""Space in the folders that the service writes to."""

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from ..diagnostics import Problem
from ..diagnostics.problem import error, warning
from .installation import Installation

_LITTLE = 0.20
_TOO_LITTLE = 0.05


def check(installation: Installation) -> Iterator[Problem]:
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
    yield Path(tempfile.gettempdir())
