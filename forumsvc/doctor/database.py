"""Checks of the database: reachable, migrated, writable, with enough connections."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from .. import migrate
from ..cache.database import open_database
from ..db.connection_options import ConnectionOptions
from ..db.engine import Database
from ..db.failures import is_forbidden
from ..errors import IncompatibleDatabase
from ..serving.options import Options
from ..settings import Settings
from .finding import Finding, error, info, warning
from .installation import Installation

BACKGROUND_THREADS = 15
"""Those of the background worker: one looks for jobs, the others do them, backups' included and
webhooks' not.
"""


def check(installation: Installation) -> Iterator[Finding]:
    """Yield what is wrong where the service connects; nothing is written."""
    settings = installation.settings
    how = replace(ConnectionOptions.from_settings(settings), pool_size=1)
    database = open_database(settings["sqlalchemy.url"], how)
    try:
        revision = migrate.current(database.reads)
        if migrate.is_behind(revision):
            yield error(migrate.upgrade_hint(revision, str(installation.ini)))
        elif database.is_sqlite:
            yield from _check_sqlite_file(Path(database.url.database or ""))
        else:
            if problem := migrate.missing_grants(database, str(installation.ini)):
                yield error(problem)
            yield from _check_postgresql(database, settings, installation.options)
    except IncompatibleDatabase as failure:
        yield error(str(failure))
    except DBAPIError as failure:
        yield error(
            (is_forbidden(failure) and migrate.missing_grants(database, str(installation.ini)))
            or f"sqlalchemy.url: the database does not answer: {failure.orig}"
        )
    finally:
        database.dispose()


def _check_sqlite_file(path: Path) -> Iterator[Finding]:
    # SQLite creates files next to the database, so the folder must be writable, too.
    for place in (path, path.parent):
        if not os.access(place, os.W_OK):
            yield error(f"sqlalchemy.url: {place} cannot be written")


def _check_postgresql(
    database: Database, settings: Settings, options: Options | None
) -> Iterator[Finding]:
    with database.writes.connect() as connection:
        if connection.scalar(text("SHOW transaction_read_only")) == "on":
            yield error("sqlalchemy.url: the database takes no writes (a standby, or read-only)")
        maximum = connection.scalar(text("SHOW max_connections"))
        reserved = connection.scalar(text("SHOW superuser_reserved_connections"))
    free = int(maximum or 0) - int(reserved or 0)
    if options is None:
        return
    limit = max_connections_of_process(settings["sqlalchemy.pool_size"], options.address.threads)
    limit += settings["search.at_once"]
    total = options.processes * limit
    if options.worker:
        total += max_connections_of_background(
            settings["sqlalchemy.pool_size"], settings["webhooks.most"]
        )
    if settings["sqlalchemy.pooler"]:
        yield info(
            f"Up to {total} connections are clients of PgBouncer: its max_client_conn must be more"
        )
    elif total > free:
        yield warning(
            f"sqlalchemy.pool_size: {options.processes} processes with up to {limit} connections "
            f"each and the background worker may open {total}, and the database has {free} for all "
            "of its clients: fewer processes, a smaller pool, or a larger max_connections"
        )


def max_connections_of_process(pool_size: int, threads: int) -> int:
    """Return the maximum number of open connections of a process.

    Each of the two pools can grow to twice its size. A thread holds at most two read connections
    and one write connection. Three more threads write behind the requests: the view counts of
    topics, what people read (this one reads, too), and the use of log-ins.
    """
    return min(2 * pool_size, 2 * threads + 1) + min(2 * pool_size, threads + 3)


def max_connections_of_background(pool_size: int, webhooks: int) -> int:
    """Return the maximum number of open connections of the background worker.

    webhooks: how many there may be. Each kind of job has a thread or two, each webhook has one,
    which holds at most two read connections and one write connection.
    """
    threads = BACKGROUND_THREADS + webhooks
    return min(2 * pool_size, 2 * threads) + min(2 * pool_size, threads)
