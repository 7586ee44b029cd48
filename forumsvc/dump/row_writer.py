"""Writing many rows in the transaction of a connection: COPY on PostgreSQL, batches on SQLite."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    Connection,
    DateTime,
    Table,
    literal,
    select,
)
from sqlalchemy.types import TypeDecorator

from .errors import DumpError
from .manifest import member_name
from .tables import unique_columns

CACHE_KB = 64_000
"""Of SQLite: what a load has not written yet."""
_BATCH = 2_000
_BATCH_BYTES = 2**24

Row = tuple[int, int, dict[str, Any]]
"""The number and the length of the line, and the values by column."""


class RowWriter:
    """Writes rows by the driver itself, which takes a quarter of the time of SQLAlchemy."""

    def __init__(self, connection: Connection, tables: Sequence[Table]) -> None:
        """Drop the indexes of the tables that are written; `finish` makes them again.

        connection: in a transaction, which the caller ends.
        """
        self._connection = connection
        self._driver: Any = connection.connection.driver_connection
        self._is_sqlite = connection.dialect.name == "sqlite"
        dbapi: Any = connection.dialect.loaded_dbapi
        self._error: type[Exception] = dbapi.Error
        self._operational: type[Exception] = dbapi.OperationalError
        self._indexes = self._drop_indexes(tables)

    def _drop_indexes(self, tables: Sequence[Table]) -> list[str]:
        """Drop the indexes that are not unique, and return the statements that make them."""
        run = self._driver.execute
        if self._is_sqlite:
            run(f"PRAGMA cache_size = -{CACHE_KB}")
            run("PRAGMA temp_store = FILE")  # the rows of an index are sorted there
            query = "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'index'"
        else:
            run("SET LOCAL maintenance_work_mem = '256MB'")
            query = (
                "SELECT tablename, indexname, indexdef FROM pg_indexes "
                "WHERE schemaname = current_schema()"
            )
        names = {table.name for table in tables}
        made = []
        for table, index, statement in run(query).fetchall():
            if table in names and statement and statement.startswith("CREATE INDEX"):
                run(f'DROP INDEX "{index}"')
                made.append(statement)
        return made

    def write(self, table: Table, rows: Iterator[Row]) -> None:
        """Write rows. Raises DumpError that names the line of the first one that is refused."""
        insert = self._insert_of(table)
        for batch in _batches(rows):
            if self._refused(insert, batch) is None:
                continue
            for row in batch:  # one after the other, to find the line
                if error := self._refused(insert, [row]):
                    reason = self._reason(table, row[2], error)
                    raise DumpError(f"{member_name(table.name)} line {row[0]}: {reason}.")

    def set_last_id(self, table: Table, last_id: int) -> None:
        """Let the next row get a higher id."""
        if last_id and not self._is_sqlite:
            sequence = f"pg_get_serial_sequence('{table.name}', 'id')"
            self._driver.execute(f"SELECT setval({sequence}, {last_id})")
        elif last_id and table.dialect_options["sqlite"]["autoincrement"]:
            values = {"name": table.name, "id": last_id}
            known = "UPDATE sqlite_sequence SET seq = max(seq, :id) WHERE name = :name"
            if not self._driver.execute(known, values).rowcount:
                self._driver.execute("INSERT INTO sqlite_sequence VALUES (:name, :id)", values)

    def finish(self) -> None:
        """Make the indexes, and tell PostgreSQL how the rows are spread, for the recount."""
        for statement in self._indexes:
            self._driver.execute(statement)
        if not self._is_sqlite:
            self._driver.execute("ANALYZE")

    def _reason(self, table: Table, row: dict[str, Any], error: Exception) -> str:
        """Return why the database refuses a row, with the column where that can be found."""
        for key in sorted(table.foreign_keys, key=lambda one: one.parent.name):
            value = row[key.parent.name]
            if value is not None and not self._has(key.column == value):
                return f"{key.parent.name}: there is no {value} among the {key.column.table.name}"
        for names in unique_columns(table):
            values = {name: row[name] for name in names}
            if None in values.values():
                continue
            if self._has(*(table.c[name] == value for name, value in values.items())):
                shown = ", ".join(name.removesuffix("_key") for name in names)
                return f"{shown}: a row before has the same"
        message = (str(error).strip().splitlines() or [type(error).__name__])[0]
        for check in table.constraints:
            if isinstance(check, CheckConstraint) and str(check.name) in message:
                return f"it breaks the CHECK {check.sqltext}"
        return message

    def _has(self, *conditions: Any) -> bool:
        result = self._connection.scalar(select(literal(True)).where(*conditions).limit(1))
        return result is not None

    def _refused(self, insert: Callable[[Sequence[Row]], None], rows: Sequence[Row]) -> Any:
        """Write rows, or none where the database refuses one; return its error, or None."""
        self._driver.execute("SAVEPOINT dump_rows")
        try:
            insert(rows)
        except self._error as error:
            if isinstance(error, self._operational):  # the disk or the connection, no row
                raise
            self._driver.execute("ROLLBACK TO SAVEPOINT dump_rows")
            return error
        self._driver.execute("RELEASE SAVEPOINT dump_rows")
        return None

    def _insert_of(self, table: Table) -> Callable[[Sequence[Row]], None]:
        columns = [column for column in table.columns if not _is_unknown(column)]
        names = [column.name for column in columns]
        listed = ", ".join(f'"{name}"' for name in names)
        conversions = {column.name: _conversion(column, self._is_sqlite) for column in columns}
        converted = [(name, convert) for name, convert in conversions.items() if convert]
        pick = itemgetter(*names)

        def values(row: Row) -> tuple[Any, ...]:
            result = row[2].copy()
            for name, convert in converted:
                if result[name] is not None:
                    result[name] = convert(result[name])
            return pick(result)

        def in_sqlite(rows: Sequence[Row]) -> None:
            marks = ", ".join("?" * len(names))
            statement = f"INSERT INTO {table.name} ({listed}) VALUES ({marks})"  # noqa: S608
            self._driver.executemany(statement, map(values, rows))

        def in_postgresql(rows: Sequence[Row]) -> None:
            statement = f"COPY {table.name} ({listed}) FROM STDIN"
            with self._driver.cursor() as cursor, cursor.copy(statement) as copy:
                for row in rows:
                    copy.write_row(values(row))

        return in_sqlite if self._is_sqlite else in_postgresql


def _is_unknown(column: Column[Any]) -> bool:
    """Return whether no dump says anything of a column, and its default is right."""
    return f"{column.table.name}.{column.name}" == "jobs.locked_until"


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while batch := list(_until_large(rows)):
        yield batch


def _until_large(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the next rows, fewer where they are large."""
    size = 0
    for row in islice(rows, _BATCH):
        yield row
        size += row[1]
        if size > _BATCH_BYTES:
            return


def _conversion(column: Column[Any], is_sqlite: bool) -> Callable[[Any], Any] | None:
    """Return what makes of a value of a dump one of the database; None where they are the same."""
    type_ = column.type.impl if isinstance(column.type, TypeDecorator) else column.type
    if isinstance(type_, JSON):
        return lambda value: json.dumps(value, ensure_ascii=False)
    if isinstance(type_, DateTime) and is_sqlite:
        return lambda value: value.replace("T", " ").rstrip("Z")
    return None
