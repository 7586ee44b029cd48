"""Checks whether the database can be read and written to, for the health endpoint."""

import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import literal, select, text
from sqlalchemy.exc import DBAPIError

from ..errors import single_line_message
from .engine import Database
from .failures import DATABASE_ERRORS
from .write_check import WriteCheck

log = logging.getLogger(__name__)

_ONE = select(literal(1).label("one"))
_READ_ONLY = text("SHOW transaction_read_only")
_MAX_WAIT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether the database can be read, and written to."""

    reads: bool
    writes: bool

    @property
    def problem(self) -> str | None:
        """A sentence about what does not work; None if all works."""
        if self.reads and self.writes:
            return None
        if self.reads:
            return "The database takes no writes."
        return "The database cannot be read." if self.writes else "The database is not available."


class AvailabilityCheck:
    """Checks the database, in one thread at a time. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._checking = threading.Lock()
        self._write_check = WriteCheck(database)
        self._latest = Availability(reads=False, writes=False)

    def check(self) -> Availability:
        """Return the availability; while another thread's check hangs, the latest result."""
        if self._checking.acquire(timeout=_MAX_WAIT_SECONDS):
            try:
                self._latest = Availability(
                    reads=self._succeeds(self._read), writes=self._succeeds(self._can_write)
                )
            finally:
                self._checking.release()
        return self._latest

    def note_failure(self, error: Exception) -> None:
        """Take note that a request failed by this error of the database."""
        self._write_check.note_failure(error)

    def _succeeds(self, check: Callable[[], bool]) -> bool:
        try:
            return check()
        except DATABASE_ERRORS as error:
            log.warning("the database is not as it should be: %s", single_line_message(error))
            return False

    def _read(self) -> bool:
        return bool(self._database.executor.rows(_ONE, {}))

    def _can_write(self) -> bool:
        return self._is_writable() and self._write_check.succeeds()

    def _is_writable(self) -> bool:
        if self._database.is_sqlite:
            return os.access(self._database.url.database or "", os.W_OK)
        try:
            if self._accepts_writes():
                return True
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
        # The session from the pool was lost, or was opened before the server became read-only.
        return self._accepts_writes()

    def _accepts_writes(self) -> bool:
        with self._database.writes.connect() as connection:
            if connection.scalar(_READ_ONLY) == "off":
                return True
            connection.invalidate()
        return False
