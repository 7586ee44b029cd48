"""Reads that may take long: a few at a time, on connections of their own, with a time limit.

So they take neither all threads nor the connections of others, and none goes on for ever.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import BoundedSemaphore
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.exc import OperationalError

from .engine import Database
from .failures import sqlstate

_QUERY_CANCELED = "57014"
_WAIT_SECONDS = 2
_WAITING = 2
"""How many reads may wait, as a multiple of those that run: each that waits holds a thread."""
_SQLITE_STEPS = 2_000
"""Steps of SQLite's virtual machine between two looks at the clock: about 0.1 ms."""
_BEGIN = (
    "BEGIN READ ONLY",
    # Compiling a plan costs more than these plans take.
    "SET LOCAL jit = off",
    "SET LOCAL max_parallel_workers_per_gather = 0",
    "SET LOCAL work_mem = '16MB'",
)


class TooManyReads(Exception):
    """As many reads as allowed are running and waiting, or none of them ended in time."""


class ReadTimeout(Exception):
    """The reads took longer than allowed."""


_TIMES_KEY = "times of limited reads"


def time_left(connection: Connection) -> float:
    """Return which part of the time of a connection of `LimitedReads` is left, from 1 down to 0.

    For work between statements. 1 for a connection without a limit.
    """
    times = connection.info.get(_TIMES_KEY)
    if times is None:
        return 1.0
    began, deadline = times
    return max(0.0, (deadline - time.monotonic()) / (deadline - began))


def _check_time(connection: Connection) -> None:
    if not time_left(connection):
        raise ReadTimeout


class LimitedReads:
    """Opens connections for reads that may take long."""

    def __init__(self, database: Database, *, seconds: float, at_once: int) -> None:
        """Create the engine; it opens no connection yet.

        seconds: how long all statements of a connection may take; at_once: the number of
        connections of this process. Twice as many wait for one of them, for two seconds at most.
        """
        self._seconds = seconds
        self._slots = BoundedSemaphore(at_once)
        self._slots_or_waiting = BoundedSemaphore(at_once * (1 + _WAITING))
        options = replace(database.options, pool_size=at_once)
        # Tested at each use: a search is not repeated on a new connection.
        self._engine = database.create_read_engine(options, pool_pre_ping=True)
        self._is_sqlite = database.is_sqlite
        # Settings of the transaction: those of the session might be another's, behind a pooler.
        self._begin = "; ".join(
            [*_BEGIN, f"SET LOCAL statement_timeout = {max(1, round(seconds * 1000))}"]
        )

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Return a connection for reads.

        Raises TooManyReads; and ReadTimeout where the statements take too long.
        """
        with (
            _acquired(self._slots_or_waiting, 0),
            _acquired(self._slots, _WAIT_SECONDS),
            self._engine.connect() as connection,
            self._limited(connection),
        ):
            yield connection

    @contextmanager
    def _limited(self, connection: Connection) -> Iterator[None]:
        began = time.monotonic()
        deadline = began + self._seconds

        def is_over(*args: Any) -> bool:
            return time.monotonic() > deadline

        info = connection.info  # which a lost connection has no more
        info[_TIMES_KEY] = began, deadline
        event.listen(connection, "before_cursor_execute", lambda *args: _check_time(connection))
        driver: Any = connection.connection.driver_connection
        if self._is_sqlite:
            driver.set_progress_handler(is_over, _SQLITE_STEPS)
        else:
            self._begin_on(driver)
        try:
            yield
        except OperationalError as error:
            if _is_timeout(error):
                raise ReadTimeout from error
            raise
        finally:
            info.pop(_TIMES_KEY, None)
            if self._is_sqlite:
                driver.set_progress_handler(None, 0)
            else:
                # A lost connection is found at its next use.
                with suppress(self._engine.dialect.loaded_dbapi.Error):
                    driver.rollback()

    def _begin_on(self, driver: Any) -> None:
        from psycopg import Error  # not installed where there is only SQLite

        try:
            driver.execute(self._begin, prepare=False)
        except Error as error:
            # As SQLAlchemy has it: a lost connection is answered with 503.
            raise OperationalError(self._begin, {}, error) from error

    def dispose(self, *, close: bool = True) -> None:
        """Forget the connections. close: False in a child, whose parent still uses them."""
        self._engine.dispose(close=close)


@contextmanager
def _acquired(semaphore: BoundedSemaphore, wait_seconds: float) -> Iterator[None]:
    if not semaphore.acquire(timeout=wait_seconds):
        raise TooManyReads
    try:
        yield
    finally:
        semaphore.release()


def _is_timeout(error: OperationalError) -> bool:
    return sqlstate(error) == _QUERY_CANCELED or "interrupted" in str(error.orig)
