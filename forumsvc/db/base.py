"""The declarative base, the naming convention and the column types that every table shares."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    Dialect,
    Index,
    Integer,
    MetaData,
    String,
    Text,
    text,
)
from sqlalchemy.orm import DeclarativeBase, MappedColumn, mapped_column
from sqlalchemy.types import TypeDecorator

NAMING_CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """The base class of all models; the migrations must create the schema of `Base.metadata`."""

    metadata = MetaData(naming_convention=NAMING_CONVENTION)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC datetime: `timestamptz` on PostgreSQL, text on SQLite."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """Return None for PostgreSQL, whose driver knows the type: that saves a call a value."""
        return super().bind_processor(dialect) if dialect.name == "sqlite" else None

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Return None for PostgreSQL, whose driver knows the type: that saves a call a value.

        For SQLite one call of Python: a list has ten times in a row.
        """
        return _time_of if dialect.name == "sqlite" else None

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return a naive UTC datetime for SQLite, which stores it as text."""
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).replace(tzinfo=None)


def _time_of(text: str | None) -> datetime | None:
    """Return the time that SQLite stores as a text, in UTC where it states no zone."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(f"{text}+00:00")
    except ValueError:
        # Somebody's own SQL wrote it with a zone.
        return datetime.fromisoformat(text).astimezone(UTC)


# SQLite numbers rows only where the key is declared INTEGER, which has 64 bits there.
BigId = BigInteger().with_variant(Integer, "sqlite")

PrimaryKey = Annotated[int, mapped_column(BigId, primary_key=True)]
Timestamp = Annotated[datetime, mapped_column(UtcDateTime)]
Counter = Annotated[int, mapped_column(Integer, default=0, server_default="0")]
EmptyText = Annotated[str, mapped_column(Text, default="", server_default="")]


def one_of(column: str, values: Any) -> CheckConstraint:
    """Return a check that `column` holds one of the values of a StrEnum or a tuple of texts.

    Its `info` has the same as keywords of JSON Schema, by column, for the schema of dumps.
    """
    words = [*map(str, values)]
    listed = ", ".join(f"'{word}'" for word in words)
    info = {column: {"enum": words}}
    return CheckConstraint(f"{column} IN ({listed})", name=column, info=info)


def open_word(values: Iterable[str], length: int) -> MappedColumn[str]:
    """Return a column that holds one of the values of an enum to which releases add.

    The database does not check it, so that a new value needs no migration: the code that writes it
    takes it from the enum, and `db check` shows values that this version does not know.
    """
    return mapped_column(String(length), info={"words": tuple(map(str, values))})


def not_negative(*columns: str) -> list[CheckConstraint]:
    """Return a check for each counter column that it is not negative; `info` as of `one_of`."""
    return [
        CheckConstraint(f"{column} >= 0", name=column, info={column: {"minimum": 0}})
        for column in columns
    ]


def partial_index(name: str, *columns: Any, only: str, unique: bool = False) -> Index:
    """Return an index of the rows that meet the SQL condition `only`."""
    where = text(only)
    return Index(name, *columns, unique=unique, sqlite_where=where, postgresql_where=where)
