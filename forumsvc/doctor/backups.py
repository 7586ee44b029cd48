"""The backups: the last whole one, and the folder."""

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..services import backups
from .finding import Finding, error, info, warning
from .installation import Installation
from .times import age, words

_UNFINISHED = timedelta(hours=1)


def check(installation: Installation) -> Iterator[Finding]:
    """Yield what is wrong with the last backup of the database, and with `backup.dir`."""
    settings = installation.settings
    folder, max_age = settings["backup.dir"], timedelta(hours=settings["backup.max_age_hours"])
    with installation.database.reads.connect() as db:
        made_at = backups.last_made_at(db)
    if folder:
        yield from _check_folder(installation.ini.parent / folder)
    if made_at is None and not folder:
        yield info("backup.dir is not set, and no backup was ever made: see backup.md.")
    elif made_at is None:
        yield error(
            "No whole and verified backup of this database was ever made: set backup.every_hours, "
            "or run forumsvc backup FILE.tar."
        )
    elif age(made_at) > max_age:
        yield error(
            f"The last whole and verified backup is {words(age(made_at))} old, and "
            f"backup.max_age_hours is {settings['backup.max_age_hours']}: look for errors of jobs "
            "of the kind backup in the log."
        )
    if settings["backup.every_hours"] > settings["backup.max_age_hours"]:
        yield warning("backup.max_age_hours is below backup.every_hours: each backup gets too old.")


def _check_folder(folder: Path) -> Iterator[Finding]:
    if not folder.is_dir():
        yield error(f"backup.dir: {folder} is no folder: create it, or correct the setting.")
        return
    if not os.access(folder, os.W_OK | os.X_OK):
        yield error(f"backup.dir: {folder} is not writable: give it to the service's user.")
        return
    for part in sorted(folder.glob("*.tar.part")):
        with suppress(FileNotFoundError):
            old = age(datetime.fromtimestamp(part.stat().st_mtime, UTC))
            if old > _UNFINISHED:
                yield warning(
                    f"{part} is unfinished for {words(old)}: that backup was killed, or hangs. The "
                    "next one removes it."
                )
