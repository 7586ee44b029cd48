"""Whether the database can be read and written to just now, asked without holding anybody up."""

import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import literal, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from ..errors import IncompatibleDatabase, single_line_message
from .engine import Database

log = logging.getLogger(__name__)

_ONE = select(literal(1).label("one"))
_READ_ONLY = text("SHOW transaction_read_only")
_PATIENCE_SECONDS = 1.0
_LONGEST_STALL_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Availability:
    """What can be done with the database."""

    reads: bool
    writes: bool

    @property
    def problem(self) -> str | None:
        """What cannot be done, as a sentence; None where all can."""
        if self.reads and self.writes:
            return None
        if self.reads:
            return "The database takes no writes."
        return "The database cannot be read." if self.writes else "The database is not available."


class AvailabilityCheck:
    """Asks the database, one thread at a time. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        """Ask nothing yet."""
        self._database = database
        self._asking = threading.Lock()
        self._latest = Availability(reads=False, writes=False)

    def check(self) -> Availability:
        """Return what can be done; while another thread waits for the answer, the latest one."""
        if self._asking.acquire(timeout=_PATIENCE_SECONDS):
            try:
                self._latest = Availability(
                    reads=self._succeeds(self._read), writes=self._succeeds(self._could_write)
                )
            finally:
                self._asking.release()
        return self._latest

    def _succeeds(self, attempt: Callable[[], bool]) -> bool:
        try:
            return attempt()
        except (DBAPIError, PoolTimeout, IncompatibleDatabase) as error:
            log.warning("the database is not as it should be: %s", single_line_message(error))
            return False

    def _read(self) -> bool:
        return bool(self._database.executor.rows(_ONE, {}))

    def _could_write(self) -> bool:
        if self._database.is_sqlite:
            file = self._database.url.database or ""
            is_stalled = self._database.lock_waits.stalled_seconds > _LONGEST_STALL_SECONDS
            return os.access(file, os.W_OK) and not is_stalled
        try:
            if self._takes_writes():
                return True
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
        # That was a session of the pool which was cut, or opened when the server took writes.
        return self._takes_writes()

    def _takes_writes(self) -> bool:
        with self._database.writes.connect() as connection:
            if connection.scalar(_READ_ONLY) == "off":
                return True
            connection.invalidate()
        return False
