"""A PostgreSQL server: what keeps data safe, its version, its transactions, its indexes."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import NamedTuple

from sqlalchemy import Connection, text

from .. import clock
from . import postgresql_servers
from .finding import Finding, error, info, warning
from .installation import Installation

LIMITS = {"minutes": 10, "bytes": 100_000_000, "days": 30}
"""Of a transaction; of an unused index, and since when the statistics must count its uses."""

_SETTINGS = {
    "fsync": (error, "a crash of the machine can damage the whole database"),
    "full_page_writes": (error, "a crash of the machine can damage pages of the database"),
    "synchronous_commit": (warning, "a crash loses writes that were acknowledged"),
    "autovacuum": (warning, "tables grow and become slow, until the server takes no writes"),
    "track_counts": (warning, "autovacuum does not run without it"),
}
"""What must not be off, and why."""


class _Fault(NamedTuple):
    """A kind of fault. rows: SQL that finds them; message: with names of their columns."""

    level: Callable[[object], Finding]
    rows: str
    message: str


_FAULTS = (
    _Fault(
        info,
        """
        SELECT current_user AS name WHERE NOT pg_has_role('pg_read_all_stats', 'USAGE')
        """,
        "Only transactions of {name} are seen here: GRANT pg_monitor TO {name} shows all.",
    ),
    _Fault(
        warning,
        """
        SELECT pid, usename, state,
            (extract(epoch FROM clock_timestamp() - xact_start) / 60)::int AS minutes
        FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend'
            AND pid <> pg_backend_pid()
            AND xact_start < clock_timestamp() - make_interval(mins => :minutes)
        ORDER BY xact_start
        """,
        "A transaction of {usename} (process {pid}, {state}) has been open for {minutes} minutes: "
        "events and dead rows wait for its end. End its program, or SELECT "
        "pg_terminate_backend({pid}).",
    ),
    _Fault(
        warning,
        """
        SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace
            AND NOT EXISTS (SELECT 1 FROM pg_stat_progress_create_index WHERE index_relid = c.oid)
        ORDER BY c.relname
        """,
        "The index {name} is not valid, for a command that made it was stopped: it costs writes "
        "and helps nobody. REINDEX INDEX CONCURRENTLY {name}; one whose name ends in _ccnew or "
        "_ccold can be dropped.",
    ),
    _Fault(
        info,
        """
        SELECT s.indexrelname AS name, pg_relation_size(s.indexrelid) / 1000000 AS megabytes
        FROM pg_stat_user_indexes s JOIN pg_index i ON i.indexrelid = s.indexrelid
            JOIN pg_stat_database d ON d.datname = current_database()
        WHERE s.idx_scan = 0 AND NOT i.indisunique AND s.schemaname = current_schema()
            AND pg_relation_size(s.indexrelid) > :bytes
            AND COALESCE(d.stats_reset < now() - make_interval(days => :days), true)
        ORDER BY s.indexrelname
        """,
        "The index {name} ({megabytes} MB) was not used since the statistics began: a standby may "
        "use it. Do not drop one that belongs to the service.",
    ),
)


def check(installation: Installation) -> Iterator[Finding]:
    """Yield the faults of the server; nothing for another database."""
    if installation.database.is_sqlite:
        return
    with installation.database.reads.connect() as db:
        settings = server_settings(db)
        for name, (level, why) in _SETTINGS.items():
            if settings[name] == "off":
                yield level(f"PostgreSQL has {name} = off: {why}. Set it to on in postgresql.conf.")
        yield from _check_version(int(settings["server_version_num"]) // 10_000)
        for fault in _FAULTS:
            for row in db.execute(text(fault.rows), LIMITS):
                yield fault.level(fault.message.format(**row._mapping))
        yield from postgresql_servers.check_replication(db, settings["synchronous_standby_names"])


def server_settings(db: Connection) -> dict[str, str]:
    """Return the settings of the server that are examined, by name."""
    names = [*_SETTINGS, "server_version_num", "synchronous_standby_names"]
    result = db.execute(
        text("SELECT name, setting FROM pg_settings WHERE name = ANY(:names)"), {"names": names}
    )
    return {row.name: row.setting for row in result}


def _check_version(major: int) -> Iterator[Finding]:
    # Each major version gets fixes for five years, until a November
    # (https://www.postgresql.org/support/versioning/).
    end = date(2012 + major, 11, 15)
    if clock.now().date() > end:
        yield info(
            f"PostgreSQL {major} gets no fixes since November {end.year}: plan an upgrade of the "
            "server."
        )
