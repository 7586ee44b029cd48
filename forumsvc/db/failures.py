"""Which errors of the database say that a connection, and those beside it, are of no use."""

from typing import Any

_READ_ONLY = "25006"
_NO_SUCH_PREPARED_STATEMENT = "26000"
_LOCK_NOT_AVAILABLE = "55P03"
_NOT_SUPPORTED = "0A000"
_PLAN_CHECK = "RevalidateCachedQuery"
"""The server's function that finds that a prepared statement's columns have changed. The message
is in the server's language."""


def sqlstate(error: Any) -> str:
    """Return the SQLSTATE of an error of the driver or of SQLAlchemy; empty where it has none."""
    driver_error = getattr(error, "orig", error)
    return str(getattr(driver_error, "sqlstate", None) or "")


def is_lock_timeout(error: Any) -> bool:
    """Tell whether PostgreSQL gave up to wait for a lock."""
    return sqlstate(error) == _LOCK_NOT_AVAILABLE


def is_outdated_session(error: Any) -> bool:
    """Tell whether a session no longer fits its database, which a new one would.

    The server takes no writes there, or does not know, or not as it is now, a statement that was
    prepared. Nothing of the transaction in which it comes happens.
    """
    state = sqlstate(error)
    if state == _NOT_SUPPORTED:
        driver_error = getattr(error, "orig", error)
        return driver_error.diag.source_function == _PLAN_CHECK
    return state in (_READ_ONLY, _NO_SUCH_PREPARED_STATEMENT)
