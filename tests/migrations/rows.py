"""A row in every table, whatever the revision of the schema."""

import re
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    DateTime,
    Integer,
    LargeBinary,
    MetaData,
    func,
    insert,
    inspect,
    select,
)

ROW_ID = 1
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def fill(connection: Connection) -> None:
    """Insert a row into each empty table; every column of it has a value."""
    for table in _tables(connection).sorted_tables:
        if not connection.scalar(select(func.count()).select_from(table)):
            found = inspect(connection).get_check_constraints(table.name)
            checks = [check["sqltext"] for check in found]
            row = {
                column.name: _allowed(column.name, checks)
                or _value(column, connection.dialect.name)
                for column in table.columns
            }
            connection.execute(insert(table).values(row))
            if connection.dialect.name == "postgresql" and "id" in row:
                # What a migration inserts has the next id.
                sequence = func.pg_get_serial_sequence(table.name, "id")
                connection.execute(select(func.setval(sequence, ROW_ID)))


def count(connection: Connection) -> dict[str, int]:
    """Return the number of rows of each table, by its name."""
    return {
        table.name: connection.scalar(select(func.count()).select_from(table)) or 0
        for table in _tables(connection).sorted_tables
    }


def _tables(connection: Connection) -> MetaData:
    metadata = MetaData()
    # The tables of FTS5 are filled by triggers.
    metadata.reflect(
        connection, only=lambda name, _: name != "alembic_version" and "_fts" not in name
    )
    return metadata


def _allowed(column: str, checks: list[str]) -> str | None:
    """Return the first value that a check allows a column of words, None without such a check."""
    for check in checks:
        if re.match(rf"\W*{column}\b", check) and (words := re.findall(r"'(\w+)'", check)):
            return str(words[0])
    return None


def _value(column: Column[Any], dialect: str) -> Any:
    if isinstance(column.type, Boolean):
        return True
    if isinstance(column.type, Integer):
        return ROW_ID
    if isinstance(column.type, DateTime):
        return MOMENT.replace(tzinfo=None) if dialect == "sqlite" else MOMENT
    if isinstance(column.type, LargeBinary):
        return b"bytes"
    return [ROW_ID] if isinstance(column.type, JSON) else "text"
