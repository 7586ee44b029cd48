"""Classifies the errors of the database, most of them by their SQLSTATE."""

import sqlite3
import sys
from typing import Any

from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from ..errors import IncompatibleDatabase

DATABASE_ERRORS = (SQLAlchemyError, IncompatibleDatabase)
"""What a background thread must survive: the database may answer again later."""

_READ_ONLY = "25006"
_REFUSED_WRITES = frozenset({_READ_ONLY, "53100", "58030"})
"""Read-only, disk full, I/O error."""
_REFUSED_WRITES_OF_SQLITE = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
)
_NO_SUCH_PREPARED_STATEMENT = "26000"
_LOCK_NOT_AVAILABLE = "55P03"
_INSUFFICIENT_PRIVILEGE = "42501"
_NOT_SUPPORTED = "0A000"
_PLAN_CHECK = "RevalidateCachedQuery"
"""The server's function that checks whether the columns of a prepared statement have changed. The
message cannot tell: it is in the server's language."""


def sqlstate(error: Any) -> str:
    """Return the SQLSTATE of an error of the driver or of SQLAlchemy; empty where it has none."""
    driver_error = getattr(error, "orig", error)
    return str(getattr(driver_error, "sqlstate", None) or "")


def is_lock_timeout(error: Any) -> bool:
    """Return whether the error is a lock timeout of PostgreSQL."""
    return sqlstate(error) == _LOCK_NOT_AVAILABLE


def is_refused_write(error: Any) -> bool:
    """Return whether the database refused a write that others would fail at, too."""
    code = getattr(getattr(error, "orig", error), "sqlite_errorcode", 0)
    # An extended code has the plain one in its lowest byte.
    return sqlstate(error) in _REFUSED_WRITES or (code & 0xFF) in _REFUSED_WRITES_OF_SQLITE


def is_away(error: Any) -> bool:
    """Return whether the server did not answer, cut the connection, or let none be opened.

    error: of SQLAlchemy or of the driver.
    """
    if isinstance(error, PoolTimeout) or is_lost_connection(error):
        return True
    is_operational = isinstance(error, OperationalError) or _is_operational_in_psycopg(error)
    if not is_operational or isinstance(getattr(error, "orig", None), sqlite3.Error):
        return False
    # Only a server that answers gives a SQLSTATE.
    return not sqlstate(error) or sqlstate(error).startswith(("08", "57P"))


def _is_operational_in_psycopg(error: Any) -> bool:
    psycopg = sys.modules.get("psycopg")  # not installed where there is only SQLite
    return psycopg is not None and isinstance(error, psycopg.OperationalError)


def is_lost_connection(error: Any) -> bool:
    """Return whether psycopg raised an error of libpq, after which a connection is of no use.

    psycopg finds no class for what comes without a SQLSTATE, and may call the connection whole.
    """
    driver_error = getattr(error, "orig", error)
    is_unclassified = type(driver_error).__name__ == "DatabaseError"
    is_sqlite = isinstance(driver_error, sqlite3.Error)
    return is_unclassified and not is_sqlite and not sqlstate(driver_error)


def is_outdated_session(error: Any) -> bool:
    """Return whether the error would not come in a new session.

    The server became read-only, or a prepared statement is gone or has changed columns. The
    transaction of the error is rolled back.
    """
    state = sqlstate(error)
    if state == _NOT_SUPPORTED:
        driver_error = getattr(error, "orig", error)
        return driver_error.diag.source_function == _PLAN_CHECK
    return state in (_READ_ONLY, _NO_SUCH_PREPARED_STATEMENT)


def is_of_no_use(error: Any) -> bool:
    """Return whether the session of the error is lost, or does not fit the database any more."""
    return is_lost_connection(error) or is_outdated_session(error)


_TEMPORARY_CLASSES = frozenset({"08", "25", "26", "40", "42", "53", "55", "57", "58"})
"""Lost connections, sessions, conflicts, a schema of another version, resources, locks, the end of
the server, its disk."""
_QUERY_CANCELED = "57014"
_TEMPORARY_OF_SQLITE = _REFUSED_WRITES_OF_SQLITE | {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN)
}


def is_temporary(error: Exception) -> bool:
    """Return whether the database is to blame, and not what it was asked for."""
    if is_away(error) or isinstance(error, IncompatibleDatabase):
        return True
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", 0)
    state = sqlstate(error)
    is_timeout = state == _QUERY_CANCELED
    return code & 0xFF in _TEMPORARY_OF_SQLITE or (
        state[:2] in _TEMPORARY_CLASSES and not is_timeout
    )


def is_forbidden(error: Any) -> bool:
    """Return whether the role of PostgreSQL lacks a right."""
    return sqlstate(error) == _INSUFFICIENT_PRIVILEGE
