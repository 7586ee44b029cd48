"""An SQLite database: its file system, its log, its contents."""

from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.exc import DatabaseError

from .finding import Finding, error, warning
from .folders import network_file_system
from .installation import Installation

_LARGE_LOG = 100_000_000
_MOST_FAULTS = 10


def check(installation: Installation) -> Iterator[Finding]:
    """Yield the faults of the file; nothing for another database."""
    if not installation.database.is_sqlite:
        return
    file = Path(installation.database.url.database or "").absolute()
    network = network_file_system(file.parent)
    if network is not None:
        yield error(
            f"{file} is on a network file system ({network}), where SQLite's locks do not hold and "
            "the file is damaged sooner or later: move it to a disk of this machine, or use "
            "PostgreSQL."
        )
    log = file.with_name(f"{file.name}-wal")
    size = log.stat().st_size if log.exists() else 0
    if size > _LARGE_LOG:
        yield warning(
            f"{log} has {size / 1e6:.0f} MB, for a reader keeps it from being written back: look "
            "for a command or backup that hangs, end it, and restart the service."
        )
    if installation.deep:
        with installation.database.reads.connect() as db:
            for fault in _faults(db):
                yield error(f"{file} is damaged: {fault}: restore a backup (backup.md).")


def _faults(db: Connection) -> list[str]:
    try:
        rows = db.scalars(text(f"PRAGMA quick_check({_MOST_FAULTS})")).all()
    except DatabaseError as failure:
        return [str(failure.orig)]
    return [fault for fault in rows if fault != "ok"]
