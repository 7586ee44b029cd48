"""The tables and indexes of a PostgreSQL database."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, text

from ..diagnostics import Problem
from ..diagnostics.problem import info, warning

_MANY_DEAD = 100_000
_DEAD_SHARE = 0.5
_LARGE_INDEX = 100_000_000
_DAYS_OF_STATISTICS = 30

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


def check(db: Connection) -> Iterator[Problem]:
    """Yield the indexes and tables that somebody should look at."""
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
