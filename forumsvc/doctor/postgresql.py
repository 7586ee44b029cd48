"""A PostgreSQL server: what keeps data safe, its version, its connections, its tables."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from sqlalchemy import Connection, text

from .. import clock
from . import postgresql_servers
from .finding import Finding, error, info, warning
from .installation import Installation
from .times import words

_LONG_TRANSACTION = timedelta(minutes=10)
_MANY_CONNECTIONS = 0.8
_OLD_XIDS = 1_000_000_000
_TOO_OLD_XIDS = 1_600_000_000
"""At 2,000,000,000 the server takes no writes (https://www.postgresql.org/docs/current/
routine-vacuuming.html#VACUUM-FOR-WRAPAROUND)."""

_MANY_DEAD = 100_000
_DEAD_SHARE = 0.5
_LARGE_INDEX = 100_000_000
_DAYS_OF_STATISTICS = 30

_SETTINGS = {
    "fsync": (error, "a crash of the machine can damage the whole database"),
    "full_page_writes": (error, "a crash of the machine can damage pages of the database"),
    "synchronous_commit": (warning, "a crash loses writes that were acknowledged"),
    "autovacuum": (warning, "tables grow and become slow, until the server takes no writes"),
    "track_counts": (warning, "autovacuum does not run without it"),
}
"""What must not be off, and why."""

_ACTIVITY = """
    SELECT pid, usename, state, extract(epoch FROM clock_timestamp() - xact_start)::float AS seconds
    FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend'
        AND pid <> pg_backend_pid() AND xact_start < clock_timestamp() - CAST(:age AS interval)
    ORDER BY xact_start
"""
_CONNECTIONS = """
    SELECT count(*) AS used, current_setting('max_connections')::int AS most
    FROM pg_stat_activity WHERE backend_type = 'client backend'
"""
_INVALID = """
    SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace
        AND c.oid NOT IN (SELECT index_relid FROM pg_stat_progress_create_index)
    ORDER BY c.relname
"""
_UNUSED = """
    SELECT s.indexrelname AS name, pg_relation_size(s.indexrelid) AS bytes
    FROM pg_stat_user_indexes s JOIN pg_index i ON i.indexrelid = s.indexrelid
        JOIN pg_stat_database d ON d.datname = current_database()
    WHERE s.idx_scan = 0 AND NOT i.indisunique AND s.schemaname = current_schema()
        AND pg_relation_size(s.indexrelid) > :bytes
        AND COALESCE(d.stats_reset < now() - make_interval(days => :days), true)
    ORDER BY s.indexrelname
"""
_DEAD = """
    SELECT relname AS name, n_dead_tup AS dead, n_live_tup AS live,
        greatest(last_vacuum, last_autovacuum) AS vacuumed_at
    FROM pg_stat_user_tables
    WHERE schemaname = current_schema() AND n_dead_tup > :dead AND n_dead_tup >= :share * n_live_tup
    ORDER BY relname
"""


def check(installation: Installation) -> Iterator[Finding]:
    """Yield the faults of the server; nothing for another database."""
    if installation.database.is_sqlite:
        return
    with installation.database.reads.connect() as db:
        settings = server_settings(db)
        yield from _check_settings(settings)
        yield from _check_version(int(settings["server_version_num"]) // 10_000)
        yield from _check_connections(db)
        yield from _check_transactions(db)
        yield from _check_wraparound(db)
        yield from _check_tables(db)
        yield from postgresql_servers.check_replication(db, settings["synchronous_standby_names"])


def server_settings(db: Connection) -> dict[str, str]:
    """Return the settings of the server that are examined, by name."""
    names = [*_SETTINGS, "server_version_num", "synchronous_standby_names"]
    found = db.execute(
        text("SELECT name, setting FROM pg_settings WHERE name = ANY(:names)"), {"names": names}
    )
    return {row.name: row.setting for row in found}


def _check_settings(settings: dict[str, str]) -> Iterator[Finding]:
    for name, (kind, why) in _SETTINGS.items():
        if settings[name] == "off":
            yield kind(f"PostgreSQL has {name} = off: {why}. Set it to on in postgresql.conf.")


def _check_version(major: int) -> Iterator[Finding]:
    # Each major version gets fixes for five years, until a November
    # (https://www.postgresql.org/support/versioning/).
    end = date(2012 + major, 11, 15)
    if clock.now().date() > end:
        yield info(
            f"PostgreSQL {major} gets no fixes since November {end.year}: plan an upgrade of the "
            "server."
        )


def _check_connections(db: Connection) -> Iterator[Finding]:
    row = db.execute(text(_CONNECTIONS)).one()
    if row.used > _MANY_CONNECTIONS * row.most:
        yield warning(
            f"{row.used} of the {row.most} connections of PostgreSQL are in use: fewer processes, "
            "a smaller sqlalchemy.pool_size, or a larger max_connections (scale.md)."
        )


def _check_transactions(db: Connection) -> Iterator[Finding]:
    found: Any = db.execute(text(_ACTIVITY), {"age": f"{_LONG_TRANSACTION.total_seconds()} s"})
    for row in found.all():
        yield warning(
            f"A transaction of {row.usename} (process {row.pid}, {row.state}) has been open for "
            f"{words(timedelta(seconds=row.seconds))}: events and dead rows wait for its end. End "
            f"its program, or SELECT pg_terminate_backend({row.pid})."
        )


def _check_wraparound(db: Connection) -> Iterator[Finding]:
    xids = text("SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()")
    age = db.scalar(xids) or 0
    if age > _OLD_XIDS:
        kind = error if age > _TOO_OLD_XIDS else warning
        yield kind(
            f"The oldest row is {age:,} transactions old, and PostgreSQL takes no writes at "
            "2,000,000,000: end old transactions and replication slots, and run `vacuumdb "
            "--freeze`."
        )


def _check_tables(db: Connection) -> Iterator[Finding]:
    for row in _rows(db, _INVALID):
        yield warning(
            f"The index {row.name} is not valid, for a command that made it was stopped: it costs "
            f"writes and helps nobody. REINDEX INDEX CONCURRENTLY {row.name}; one whose name ends "
            "in _ccnew or _ccold can be dropped."
        )
    for row in _rows(db, _DEAD, dead=_MANY_DEAD, share=_DEAD_SHARE):
        when = f"since {row.vacuumed_at:%Y-%m-%d}" if row.vacuumed_at else "ever"
        yield warning(
            f"The table {row.name} has {row.dead:,} dead rows beside {row.live:,} live ones, and "
            f"was not vacuumed {when}: look for long transactions and whether autovacuum runs, "
            f"then VACUUM {row.name}."
        )
    for row in _rows(db, _UNUSED, bytes=_LARGE_INDEX, days=_DAYS_OF_STATISTICS):
        yield info(
            f"The index {row.name} ({row.bytes / 1e6:.0f} MB) was not used since the statistics "
            "began: a standby may use it. Do not drop one that belongs to the service."
        )


def _rows(db: Connection, statement: str, **values: Any) -> list[Any]:
    return [*db.execute(text(statement), values)]
