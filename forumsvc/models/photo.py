"""Photos that users uploaded; the image file is in a photo storage under `name`."""

from sqlalchemy import ForeignKey, Index, Integer, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp
from .declarations import CONTENT, SPECIAL, Export, by_column


class Photo(Base):
    """One user's upload of an image; uploads of the same image share the stored file."""

    __tablename__ = "photos"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=SPECIAL)
    __export__ = Export(
        "photos",
        'your photos; "file" is the name in this archive, null where it is gone',
        "照片",
        "name media_type width height size created_at",
    )

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    name: Mapped[str] = mapped_column(String(100))
    media_type: Mapped[str] = mapped_column(String(20))
    width: Mapped[int] = mapped_column(Integer)
    height: Mapped[int] = mapped_column(Integer)
    size: Mapped[int] = mapped_column(Integer)
    """In bytes."""
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the stored bytes, in hexadecimal."""
    storage: Mapped[str] = mapped_column(String(10))
    """The storage of the file: a value of the setting `photos.storage`."""
    created_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("user_id", "digest"),
        Index("ix_photos_name", "name"),
        Index("ix_photos_user_id_id", "user_id", "id"),
        {"sqlite_autoincrement": True},
    )
