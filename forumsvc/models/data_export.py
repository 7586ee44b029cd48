"""Exports of people's own data: one a person, as a file in the database, which all hosts share."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp, UtcDateTime


class DataExport(Base):
    """An export that a person asked for. A job of the kind `export` makes its file."""

    __tablename__ = "data_exports"

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    size: Mapped[int | None] = mapped_column(BigInteger)
    """Of the file, in bytes; null until it is ready."""
    requested_at: Mapped[Timestamp]
    ready_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    expires_at: Mapped[Timestamp]
    """When it is deleted."""

    __table_args__ = (
        UniqueConstraint("user_id"),
        Index("ix_data_exports_expires_at", "expires_at"),
        {"sqlite_autoincrement": True},
    )


class DataExportChunk(Base):
    """A piece of the file of an export.

    No foreign key: the chunks of an export that is gone are deleted behind it, some at a time.
    """

    __tablename__ = "data_export_chunks"

    export_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    """From 0 on."""
    content: Mapped[bytes] = mapped_column(LargeBinary)
