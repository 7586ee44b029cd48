"""The servers that sqlalchemy.url names: at most one may take writes."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import URL

from ..diagnostics import Problem
from ..diagnostics.problem import error
from .installation import Installation

_SECONDS = 5
_TIMELINE = """
    SELECT CASE WHEN current_setting('transaction_read_only') = 'off'
        THEN pg_walfile_name(pg_current_wal_lsn()) END
"""


def check(installation: Installation) -> Iterator[Problem]:
    """Yield an error if several servers take writes."""
    if not installation.database.is_sqlite:
        yield from check_servers(installation.database.url)


def check_servers(url: URL) -> Iterator[Problem]:
    """Yield an error if several servers of a URL take writes; one that is away takes none."""
    from ..db.connect import hosts_of  # psycopg is not installed where there is only SQLite

    _, parameters = url.get_dialect()().create_connect_args(url)
    servers = hosts_of(parameters)
    found = [
        f"{host}:{port} (timeline {timeline})"
        for host, port in servers
        if (timeline := _timeline({**parameters, "host": host, "port": port})) is not None
    ]
    if len(found) > 1:
        yield error(
            f"Several servers of sqlalchemy.url take writes: {', '.join(found)}. Writes may be "
            "split between them: stop all but the one of the highest timeline, or make them its "
            "standbys (failover.md)."
        )


def _timeline(parameters: dict[str, Any]) -> int | None:
    """Return the timeline of a server that takes writes, else None."""
    import psycopg

    asked = {**parameters, "connect_timeout": _SECONDS, "target_session_attrs": "any"}
    try:
        with psycopg.connect(**asked, autocommit=True) as connection:
            row = connection.execute(_TIMELINE).fetchone()
    except psycopg.Error:
        return None
    return None if row is None or row[0] is None else int(row[0][:8], 16)
