"""Several PostgreSQL servers: one takes writes, and its standbys follow."""

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import URL, Connection, text

from .finding import Finding, error, info, warning
from .installation import Installation

_SECONDS = 5
_LATE_SECONDS = 60
_LATE_BYTES = 1_000_000_000

_STANDBYS = """
    SELECT application_name AS name, state, sync_state,
        extract(epoch FROM replay_lag)::float AS seconds,
        pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint AS bytes
    FROM pg_stat_replication ORDER BY application_name, pid
"""
_SLOTS = """
    SELECT slot_name AS name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint AS bytes
    FROM pg_replication_slots
    WHERE NOT active AND NOT temporary AND restart_lsn IS NOT NULL ORDER BY slot_name
"""
_TIMELINE = """
    SELECT CASE WHEN current_setting('transaction_read_only') = 'off'
        THEN pg_walfile_name(pg_current_wal_lsn()) END
"""


def check_primaries(installation: Installation) -> Iterator[Finding]:
    """Yield an error if several servers take writes."""
    if not installation.database.is_sqlite:
        yield from check_servers(installation.database.url)


def check_servers(url: URL) -> Iterator[Finding]:
    """Yield an error if several servers of a URL take writes; one that is away takes none."""
    from ..db.connect import hosts_of  # psycopg is not installed where there is only SQLite

    _, parameters = url.get_dialect()().create_connect_args(url)
    servers = hosts_of(parameters)
    writers = [
        f"{host}:{port} (timeline {timeline})"
        for host, port in servers
        if (timeline := _timeline({**parameters, "host": host, "port": port})) is not None
    ]
    if len(writers) > 1:
        yield error(
            f"Several servers of sqlalchemy.url take writes: {', '.join(writers)}. Writes may be "
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


def check_replication(db: Connection, synchronous_standby_names: str) -> Iterator[Finding]:
    """Yield what is wrong with the standbys; nothing on a standby itself.

    synchronous_standby_names: the setting of the server; empty: no commit waits for a standby.
    """
    if db.scalar(text("SELECT pg_is_in_recovery()")):
        return
    yield from check_standbys([*db.execute(text(_STANDBYS))], synchronous_standby_names)
    yield from check_slots(db.execute(text(_SLOTS)))


def check_standbys(standbys: list[Any], synchronous_standby_names: str) -> Iterator[Finding]:
    """Yield the findings of rows of `pg_stat_replication`: name, state, sync_state, seconds, bytes.

    Without the role pg_monitor all but the name is None.
    """
    if standbys and all(row.state is None for row in standbys):
        yield info(
            "The lag of the standbys cannot be seen: GRANT pg_monitor TO the user of "
            "sqlalchemy.url."
        )
        return
    is_waited_for = any(row.sync_state in ("sync", "quorum") for row in standbys)
    if synchronous_standby_names and not is_waited_for:
        yield error(
            f"synchronous_standby_names is {synchronous_standby_names!r} and no such standby is "
            "connected: every write waits for it. Start a standby, or empty the setting."
        )
    for row in standbys:
        if row.state != "streaming":
            yield warning(
                f"The standby {row.name} is not streaming but in the state {row.state}: it cannot "
                "take over without loss until it has caught up."
            )
        elif (row.seconds or 0) > _LATE_SECONDS or (row.bytes or 0) > _LATE_BYTES:
            yield warning(
                f"The standby {row.name} is {row.seconds or 0:.0f} seconds and "
                f"{(row.bytes or 0) / 1e6:.0f} MB behind: look at its disk, its network and its "
                "long queries."
            )
    if standbys and not synchronous_standby_names:
        yield info(
            f"Standbys that are connected: {len(standbys)}. No commit waits for one, so a failover "
            "may lose the newest writes (failover.md)."
        )


def check_slots(slots: Iterable[Any]) -> Iterator[Finding]:
    """Yield the findings of inactive replication slots: name and bytes of kept log."""
    for row in slots:
        yield warning(
            f"Nobody reads the replication slot {row.name}, for which {row.bytes / 1e6:.0f} MB of "
            "the log are kept until the disk is full: start its standby, or SELECT "
            f"pg_drop_replication_slot('{row.name}')."
        )
