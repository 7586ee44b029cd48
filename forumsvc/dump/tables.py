"""Which tables and columns a dump has, by what the models declare."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Table, UniqueConstraint

from ..models import Base
from ..models.declarations import DERIVED, RENDERED, SECRET, Part, all_models

PARTS = {model.__tablename__: model.__dump__ for model in all_models()}
"""The part and the reason of each table of the database."""

FORMER_COLUMNS = frozenset({"used_at"})
"""Of tables that had them once: a load leaves them out of a row of an older dump."""


def dumped_tables(*, secrets: bool) -> list[Table]:
    """Return the tables of a dump, each after those that it refers to."""
    parts = {Part.CONTENT, Part.SECRET} if secrets else {Part.CONTENT}
    return [table for table in Base.metadata.sorted_tables if PARTS[table.name].part in parts]


def dumped_columns(table: Table, *, secrets: bool) -> Iterator[Column[object]]:
    """Yield the columns of a table that a dump has."""
    hidden = [DERIVED] if secrets else [DERIVED, SECRET, RENDERED]
    yield from (column for column in table.columns if column.info not in hidden)


def is_numbered(table: Table) -> bool:
    """Return whether the database gives the rows of a table their ids."""
    return [column.name for column in table.primary_key] == ["id"]


def unique_columns(table: Table) -> list[list[str]]:
    """Return the sets of columns whose values are different in each row of a table."""
    keys: list[Any] = [
        constraint for constraint in table.constraints if isinstance(constraint, UniqueConstraint)
    ]
    keys += [index for index in table.indexes if index.unique and not _is_partial(index)]
    return sorted([column.name for column in item.columns] for item in [table.primary_key, *keys])


def _is_partial(index: Any) -> bool:
    return any(options.get("where") is not None for options in index.dialect_options.values())
