"""Runs one migration at a time, without long waits for the running service.

While a migration waits for the lock of a table, every other statement on the table waits behind it.
So the migration waits for a short time only, is rolled back, and is tried again later.
"""

import time
from collections.abc import Callable

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from ..errors import ForumError, single_line_message
from .failures import is_lock_timeout, sqlstate

Report = Callable[[str], None]

LOCK_TIMEOUT_MS = 2_000
"""How long a migration on PostgreSQL waits for a lock, while others wait behind it."""

ATTEMPTS = 5
PAUSE_SECONDS = 3.0
"""Between two attempts, and between two checks whether another upgrade has ended."""

_KEY = 0x666F72756D  # "forum"
_DEADLOCK_DETECTED = "40P01"


class SchemaBusy(ForumError):
    """A migration did not get a lock that it needs in any of its attempts."""


def no_report(line: str) -> None:
    """Ignore a progress line."""


def change_schema(engine: Engine, change: Callable[[Connection], None], report: Report) -> None:
    """Run `change` on a connection of its own, in one process at a time.

    change: begins and ends its transactions on PostgreSQL; on SQLite it runs in one. After a lock
    timeout it is called again, and must skip what it has done already.
    report: called with a line for the administrator before each wait. Raises SchemaBusy.
    """
    with engine.connect() as connection:
        try:
            if engine.dialect.name == "sqlite":
                _retry(lambda: _in_one_transaction(connection, change), connection, report)
            else:
                _wait_for_others(connection, report)
                _set_timeouts(connection)
                _retry(lambda: change(connection), connection, report)
        finally:
            # Closed, not returned to the pool: its settings are not for others, and the end of the
            # session releases the advisory lock.
            connection.invalidate()


def _in_one_transaction(connection: Connection, change: Callable[[Connection], None]) -> None:
    # BEGIN takes the write lock of the file; other processes wait for it here.
    with connection.begin():
        change(connection)


def _wait_for_others(connection: Connection, report: Report) -> None:
    """Take the advisory lock of schema changes, which is held until the session ends."""
    is_reported = False
    # By polling: a statement that waits in the database has a transaction, and CREATE INDEX
    # CONCURRENTLY of the process that holds the lock waits for every transaction.
    while not connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": _KEY}):
        connection.rollback()
        if not is_reported:
            report("Another process is changing the schema; waiting for its end.")
            is_reported = True
        time.sleep(PAUSE_SECONDS)
    connection.commit()


def _set_timeouts(connection: Connection) -> None:
    connection.execute(text(f"SET lock_timeout = {LOCK_TIMEOUT_MS:d}"))
    connection.execute(text("SET statement_timeout = 0"))
    connection.execute(text("SET idle_in_transaction_session_timeout = 0"))
    connection.commit()


def _retry(attempt: Callable[[], None], connection: Connection, report: Report) -> None:
    for number in range(1, ATTEMPTS + 1):
        try:
            return attempt()
        except OperationalError as error:
            if not _is_busy(error):
                raise
            connection.rollback()
            reason = single_line_message(error.orig) if isinstance(error.orig, Exception) else ""
            if number == ATTEMPTS:
                raise SchemaBusy(
                    f"The schema is not at the new revision: others use the database ({reason}). "
                    "Run this again when their long transactions, or a dump, have ended."
                ) from error
            report(f"The database is busy ({reason}); trying again in {PAUSE_SECONDS:g} s.")
        time.sleep(PAUSE_SECONDS)
    return None


def _is_busy(error: OperationalError) -> bool:
    is_deadlock = sqlstate(error) == _DEADLOCK_DETECTED
    return is_lock_timeout(error) or is_deadlock or "database is locked" in str(error.orig)
