"""What ends a command: each error that may be expected becomes one line."""

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from ..errors import ForumError, IncompatibleDatabase
from ..settings import SettingsError
from .context import CommandError


class _Away(CommandError):
    """The database is away: another run may succeed."""

    exit_code = os.EX_TEMPFAIL


@contextmanager
def command_errors() -> Iterator[None]:
    """Turn the errors of the block that may be expected into CommandError."""
    try:
        yield
    except (click.ClickException, click.Abort, click.exceptions.Exit):
        raise
    except Exception as error:
        if (line := _line_of(error)) is None:
            raise
        from ..db.failures import is_away

        raise (_Away if is_away(error) else CommandError)(line) from None


def _line_of(error: Exception) -> str | None:
    if isinstance(error, ForumError | SettingsError):
        return str(error)
    if isinstance(error, IncompatibleDatabase):
        return f"The database cannot be used: {error}"
    if isinstance(error, UnicodeEncodeError):
        return "The arguments are not text in UTF-8."
    return _database_error(error)


def _database_error(error: Exception) -> str | None:
    """Return the line for an error of the database or of a migration, None for any other."""
    from alembic.util import CommandError as MigrationError
    from sqlalchemy.exc import DatabaseError, OperationalError

    from ..db.failures import is_forbidden, is_outdated_session

    if isinstance(error, MigrationError):
        return str(error)
    # SQLite raises the base class for a file that is no database or is damaged; most of its
    # subclasses mean mistakes in our code.
    if not isinstance(error, DatabaseError):
        return _driver_error(error)
    if is_forbidden(error):
        return f"{str(error.orig).strip()}: connect as the owner of the tables (install.md)"
    is_away = isinstance(error, OperationalError) or is_outdated_session(error)
    if is_away or type(error) is DatabaseError:
        lines = str(error.orig).strip().splitlines()
        return f"The database cannot be used: {(lines or [type(error.orig).__name__])[0]}"
    return None


def _driver_error(error: Exception) -> str | None:
    """Return the line for an error of the driver itself, below which dumps are read and loaded."""
    from ..db.failures import is_lost_connection

    drivers = [sqlite3.OperationalError]
    if psycopg := sys.modules.get("psycopg"):
        drivers.append(psycopg.OperationalError)
    if not isinstance(error, tuple(drivers)) and not is_lost_connection(error):
        return None
    return f"The database cannot be used: {(str(error).splitlines() or ['it is away'])[0]}"
