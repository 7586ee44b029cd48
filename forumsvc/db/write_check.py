"""Tries a small write now and then: nothing else shows a disk or a standby that takes none."""

import logging
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any

from sqlalchemy import text

from ..errors import single_line_message
from .engine import Database
from .failures import DATABASE_ERRORS, is_refused_write

log = logging.getLogger(__name__)

_EVERY_SECONDS = 5.0
_MOST_SECONDS = 2.0
_LOCK_SECONDS = 1.5
"""How long it waits for SQLite's write lock."""
_REFUSED_FOR_SECONDS = 10.0

_WRITE = text("SELECT pg_logical_emit_message(true, 'forumsvc', 'health')")
"""A record in the log of the server, which a commit must write and a standby must receive; it
leaves no row."""


class WriteCheck:
    """Whether the database writes what it is given. For one thread at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._started_at = float("-inf")
        self._thread: threading.Thread | None = None
        self._succeeded = False
        self._refused_until = 0.0

    def note_failure(self, error: Any) -> None:
        """Take note that a request failed by this error of the database. Any thread may."""
        if is_refused_write(error):
            self._refused_until = monotonic() + _REFUSED_FOR_SECONDS

    def succeeds(self) -> bool:
        """Return whether the last write succeeded, in time; try one if that was some seconds ago.

        False for some seconds after a request whose write the database refused: the small write
        here may fit on a disk that is full for others.
        """
        now = monotonic()
        if self._thread is not None:
            self._thread.join(max(0, self._started_at + _MOST_SECONDS - now))
            if self._thread.is_alive():
                return False
        if now >= self._started_at + _EVERY_SECONDS:
            self._started_at = now
            self._succeeded = False
            # No timeout of PostgreSQL ends a commit's wait for a standby.
            self._thread = threading.Thread(target=self._try, name="write-check", daemon=True)
            self._thread.start()
            self._thread.join(_MOST_SECONDS)
        return self._succeeded and now >= self._refused_until

    def _try(self) -> None:
        try:
            if self._database.is_sqlite:
                _write_sqlite(Path(self._database.url.database or ""))
            else:
                with self._database.writes.begin() as connection:
                    connection.execute(_WRITE)
        except (*DATABASE_ERRORS, sqlite3.Error) as error:
            log.warning("the database takes no writes: %s", single_line_message(error))
        else:
            self._succeeded = True


def _write_sqlite(file: Path) -> None:
    """Write the number that the file's header has for applications, which stays the same."""
    uri = f"{file.resolve().as_uri()}?mode=rw"
    with closing(
        sqlite3.connect(uri, uri=True, timeout=_LOCK_SECONDS, isolation_level=None)
    ) as connection:
        version = _version(connection)
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            # The lowest byte: an extended code tells that somebody recovers the log, say.
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if is_busy and _version(connection) != version:
                return  # others write
            raise
        [(number,)] = connection.execute("PRAGMA user_version").fetchall()
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    """Return a number that each commit of another connection changes."""
    [(version,)] = connection.execute("PRAGMA data_version").fetchall()
    return int(version)
