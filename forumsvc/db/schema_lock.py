"""One change of the schema at a time, which never makes the service wait for long.

A migration that waits for a table's lock makes every statement on that table wait behind it. So it
waits for a moment only, is rolled back, and is tried again later.
"""

import time
from collections.abc import Callable

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from ..errors import ForumError, single_line_message
from .failures import is_lock_timeout, sqlstate

Report = Callable[[str], None]

LOCK_TIMEOUT_MS = 2_000
"""How long a migration on PostgreSQL waits for a lock, and lets others wait behind it."""

ATTEMPTS = 5
PAUSE_SECONDS = 3.0
"""Between two attempts, and between two looks whether another upgrade has ended."""

_KEY = 0x666F72756D  # "forum"
_DEADLOCK_DETECTED = "40P01"


class SchemaBusy(ForumError):
    """Others hold locks that a migration needs, and did so at each of several attempts."""


def no_report(line: str) -> None:
    """Tell nobody."""


def change_schema(engine: Engine, change: Callable[[Connection], None], report: Report) -> None:
    """Run `change` on a connection of its own, alone of all processes that come through here.

    change: begins and ends its transactions on PostgreSQL; on SQLite it runs in one. It is run
    again after it met a lock, so what is done already must be done no more the second time.
    tell: called with a line for people whenever this waits. Raises SchemaBusy.
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
            # Closed, not given back to the pool: its settings are for nobody else, and its server
            # process drops the advisory lock as it ends.
            connection.invalidate()


def _in_one_transaction(connection: Connection, change: Callable[[Connection], None]) -> None:
    # It takes the write lock of the file as it begins; others who come through here wait there.
    with connection.begin():
        change(connection)


def _wait_for_others(connection: Connection, tell: Report) -> None:
    """Take the advisory lock of schema changes, which lasts as long as the connection."""
    told = False
    # Not by waiting in the database: CREATE INDEX CONCURRENTLY of the one that holds the lock
    # waits for every transaction, that of a waiting statement too.
    while not connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": _KEY}):
        connection.rollback()
        if not told:
            tell("Another process is changing the schema; waiting for its end.")
            told = True
        time.sleep(PAUSE_SECONDS)
    connection.commit()


def _set_timeouts(connection: Connection) -> None:
    connection.execute(text(f"SET lock_timeout = {LOCK_TIMEOUT_MS:d}"))
    connection.execute(text("SET statement_timeout = 0"))
    connection.execute(text("SET idle_in_transaction_session_timeout = 0"))
    connection.commit()


def _retry(attempt: Callable[[], None], connection: Connection, tell: Report) -> None:
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
            tell(f"The database is busy ({reason}); trying again in {PAUSE_SECONDS:g} s.")
        time.sleep(PAUSE_SECONDS)
    return None


def _is_busy(error: OperationalError) -> bool:
    is_deadlock = sqlstate(error) == _DEADLOCK_DETECTED
    return is_lock_timeout(error) or is_deadlock or "database is locked" in str(error.orig)
