"""The declarative base, the naming convention and the column types that every table shares."""

from datetime import UTC, datetime
from typing import Annotated, Any

from sqlalchemy import BigInteger, CheckConstraint, DateTime, Dialect, Integer, MetaData, Text
from sqlalchemy.orm import DeclarativeBase, mapped_column
from sqlalchemy.types import TypeDecorator

NAMING_CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """What all models inherit; `Base.metadata` is the schema that the migrations must equal."""

    metadata = MetaData(naming_convention=NAMING_CONVENTION)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC datetime: `timestamptz` on PostgreSQL, text on SQLite."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """Spare PostgreSQL, whose driver knows the type, a call for every value."""
        return super().bind_processor(dialect) if dialect.name == "sqlite" else None

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Spare PostgreSQL, whose driver knows the type, a call for every value."""
        return super().result_processor(dialect, coltype) if dialect.name == "sqlite" else None

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give SQLite the naive UTC that its text form stands for."""
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give every reader an aware UTC datetime."""
        if value is None or dialect.name != "sqlite":
            return value
        return value.replace(tzinfo=UTC)


# SQLite numbers rows by itself only where the key is declared INTEGER, which holds 64 bits there.
BigId = BigInteger().with_variant(Integer, "sqlite")

PrimaryKey = Annotated[int, mapped_column(BigId, primary_key=True)]
Timestamp = Annotated[datetime, mapped_column(UtcDateTime)]
Counter = Annotated[int, mapped_column(Integer, default=0, server_default="0")]
EmptyText = Annotated[str, mapped_column(Text, default="", server_default="")]


def one_of(name: str, column: str, words: Any) -> CheckConstraint:
    """Return a check that `column` holds one of the words of a StrEnum or a tuple of texts."""
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=name)


def not_negative(*columns: str) -> list[CheckConstraint]:
    """Return a check for each counter column that it never falls below zero."""
    return [CheckConstraint(f"{column} >= 0", name=column) for column in columns]
