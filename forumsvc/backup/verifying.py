"""Verifying a backup: each byte of it, and that it can be loaded."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.orm import Session

from ..database import open_database
from ..dump import load_dump
from .archive import Archive
from .manifest import Manifest


@dataclass(frozen=True)
class Verified:
    """A backup that holds. wrong_counters: of the forum itself; a restore corrects them."""

    manifest: Manifest
    rows: int
    wrong_counters: int


def verify_backup(path: Path, work: Path) -> Verified:
    """Check each digest and the photo files, and load the rows into a database of its own.

    work: an empty folder with room for the rows, and for a database of them. Raises BackupError or
    DumpError for what does not hold.
    """
    dump, scratch = work / "unpacked", work / "scratch.sqlite"
    archive = Archive(path)
    archive.unpack(dump)
    counters = 0

    def note(db: Session, wrong: int) -> None:
        nonlocal counters
        counters = wrong

    database = open_database(f"sqlite:///{scratch}")
    event.listen(database.writes, "connect", _without_flushes)
    try:
        loaded = load_dump(database, dump, trust_html=True, finish=note)
    finally:
        database.dispose()
        shutil.rmtree(dump)
        for each in work.glob(f"{scratch.name}*"):
            each.unlink()
    return Verified(archive.manifest, loaded.rows, counters)


def _without_flushes(connection: Any, record: object) -> None:
    """Let the scratch database flush nothing: the service beside it would wait for the disk."""
    connection.execute("PRAGMA synchronous = OFF")
