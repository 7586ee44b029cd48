"""The backups: whether the newest one is as young as its plan."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..diagnostics import Problem
from ..diagnostics.problem import error, info
from .installation import Installation
from .times import age, words


def check(installation: Installation) -> Iterator[Problem]:
    """Yield what is wrong with the newest file of the backups."""
    settings = installation.settings
    if not settings["backup.dir"]:
        yield info("backup.dir is not set: whether there is a backup is not examined (backup.md).")
        return
    folder = installation.ini.parent / settings["backup.dir"]
    if not folder.is_dir():
        yield error(f"backup.dir: {folder} is no folder: create it, or correct the setting.")
        return
    newest = max(_files(folder), key=lambda file: file[1].st_mtime, default=None)
    if newest is None:
        yield error(f"backup.dir: {folder} has no file: make a backup (backup.md).")
        return
    name, state = newest
    old = age(datetime.fromtimestamp(state.st_mtime, UTC))
    if old > timedelta(hours=settings["backup.max_age_hours"]):
        yield error(
            f"backup.dir: the newest file, {name}, is {words(old)} old, and "
            f"backup.max_age_hours is {settings['backup.max_age_hours']}: look at the log of what "
            "makes the backups."
        )
    elif not state.st_size:
        yield error(
            f"backup.dir: the newest file, {name}, is empty: look at the log of what makes the "
            "backups."
        )


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield all files below a folder; one that is deleted meanwhile is left out."""
    for root, _, names in os.walk(folder, onerror=_fail):
        for name in names:
            path = Path(root, name)
            try:
                yield path, path.stat()
            except FileNotFoundError:
                continue


def _fail(failure: OSError) -> None:
    raise failure
