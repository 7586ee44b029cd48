"""Reading all tables in one snapshot of the database, as lines of JSON that the database makes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import JSON, Boolean, Column, DateTime, Table
from sqlalchemy.types import TypeDecorator

from .. import migrate
from ..db.engine import Database
from .tables import dumped_columns, is_numbered

_FETCHED = 500

_BEGIN = {
    "sqlite": ("BEGIN",),
    "postgresql": (
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        "SET LOCAL statement_timeout = 0",
        "SET LOCAL idle_in_transaction_session_timeout = 0",
    ),
}

_HANDLED_UP_TO = """(
    SELECT coalesce(min(CASE WHEN {later} THEN e.id END) - 1,
                    CASE WHEN coalesce(max(e.id), 0) > event_positions.id
                         THEN max(e.id) ELSE event_positions.id END)
    FROM events e)"""
"""The id up to which a consumer has handled all events, whatever transactions inserted them.

The numbers of transactions mean nothing in another database. An event that was handled before one
with a lower id is handled a second time, which consumers bear.
"""
_LATER = (
    "(e.xid > event_positions.xid OR e.xid = event_positions.xid AND e.id > event_positions.id)"
)


@dataclass(frozen=True)
class Snapshot:
    """The state of a database at one moment. revision: of its schema."""

    driver: Any
    dialect: str
    revision: str | None

    def lines(self, table: Table, *, secrets: bool) -> Iterator[bytes]:
        """Yield the rows as lines of JSON, by their key; a block may have several lines."""
        columns = [*dumped_columns(table, secrets=secrets)]
        key = ", ".join(f'"{column.name}"' for column in table.primary_key)
        if self.dialect == "postgresql":
            yield from self._copy(table.name, columns, key)
            return
        pairs = " || ',' || ".join(f"'\"{one.name}\":' || {_in_sqlite(one)}" for one in columns)
        cursor = self.driver.cursor()
        cursor.execute(f"SELECT '{{' || {pairs} || '}}' FROM {table.name} ORDER BY {key}")  # noqa: S608 - our names
        while rows := cursor.fetchmany(_FETCHED):
            yield "".join(f"{row[0]}\n" for row in rows).encode()

    def _copy(self, table: str, columns: list[Column[Any]], key: str) -> Iterator[bytes]:
        listed = ", ".join(f'{_in_postgresql(one)} AS "{one.name}"' for one in columns)
        order = ", ".join(f"{table}.{one.strip()}" for one in key.split(","))
        rows = f"SELECT row_to_json(r) FROM (SELECT {listed} FROM {table} ORDER BY {order}) r"  # noqa: S608
        # JSON has neither of these characters, so nothing is ever quoted.
        form = r"(FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02', ENCODING 'UTF8')"
        with self.driver.cursor() as cursor, cursor.copy(f"COPY ({rows}) TO STDOUT {form}") as copy:
            for block in copy:
                yield bytes(block)

    def last_id(self, table: Table) -> int:
        """Return the highest id that a table ever gave; 0 where it gives none, or none yet."""
        if not is_numbered(table):
            return 0
        cursor = self.driver.cursor()
        if self.dialect == "postgresql":
            sequence = f"pg_sequence_last_value(pg_get_serial_sequence('{table.name}', 'id'))"
            row = cursor.execute(f"SELECT {sequence}").fetchone()
        else:
            listed = "SELECT seq FROM sqlite_sequence WHERE name = ?"
            row = cursor.execute(listed, [table.name]).fetchone()
        return int(row[0] or 0) if row else 0


@contextmanager
def open_snapshot(database: Database) -> Iterator[Snapshot]:
    """Begin a read-only transaction that sees the database as it is, and end it afterwards.

    It holds no lock that a writer waits for.
    """
    with database.reads.connect() as connection:
        driver: Any = connection.connection.driver_connection
        dialect = connection.dialect.name
        run: Callable[[str], Any] = driver.execute
        try:
            for statement in _BEGIN[dialect]:
                run(statement)
            run("SELECT count(*) FROM alembic_version")  # SQLite's snapshot begins with a read
            row = run("SELECT version_num FROM alembic_version").fetchone()
            yield Snapshot(driver, dialect, row[0] if row else None)
        finally:
            # It is closed: after an error a COPY may be half read, and ROLLBACK would wait for it.
            connection.invalidate()


def is_current(database: Database) -> bool:
    """Return whether the schema of a database is that of this code."""
    return migrate.current(database.reads) == migrate.head()


def _kind(column: Column[Any]) -> Any:
    return column.type.impl if isinstance(column.type, TypeDecorator) else column.type


def _in_sqlite(column: Column[Any]) -> str:
    name = f"{column.table.name}.{column.name}"
    kind = _kind(column)
    if isinstance(kind, DateTime):
        return f"coalesce('\"' || replace({name}, ' ', 'T') || 'Z\"', 'null')"
    if isinstance(kind, Boolean):
        return f"CASE {name} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END"
    if isinstance(kind, JSON):
        return f"coalesce(json({name}), 'null')"
    if name == "event_positions.id":
        return _HANDLED_UP_TO.format(later=_LATER)
    return f"json_quote({name})"


def _in_postgresql(column: Column[Any]) -> str:
    name = f"{column.table.name}.{column.name}"
    kind = _kind(column)
    if isinstance(kind, DateTime):
        return f"""to_char({name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""
    if isinstance(kind, JSON):
        return f"{name}::jsonb"  # without line breaks
    return _HANDLED_UP_TO.format(later=_LATER) if name == "event_positions.id" else name
