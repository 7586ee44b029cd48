"""Exports of people's own data: one a person, as a private file beside the photos."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp, UtcDateTime
from .declarations import SPECIAL, Dump, Part, by_column


class DataExport(Base):
    """An export that a person asked for. A job of the kind `export` makes its file."""

    __tablename__ = "data_exports"
    __dump__ = Dump(Part.LEFT_OUT, "files of people's data, made again for who asks")
    __erasure__ = by_column(user_id=SPECIAL)

    id: Mapped[PrimaryKey]
    user_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    """Null where the person is gone or asked anew, and the file is to be removed."""
    storage: Mapped[str | None] = mapped_column(String(10))
    """The storage of the file; null until it is written, as its name."""
    file: Mapped[str | None] = mapped_column(String(64))
    """Its name in the storage, stored before the file is: so each file has a row."""
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
