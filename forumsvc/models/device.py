"""People's phones, as applications register them for push messages; the forum sends none."""

from enum import StrEnum

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp
from .declarations import DELETE, Dump, Export, Part, by_column


class DevicePlatform(StrEnum):
    """Whose service takes push messages for a device."""

    IOS = "ios"
    ANDROID = "android"


class Device(Base):
    """A device on which an application is used by this user, the last one who registered it."""

    __tablename__ = "devices"
    __dump__ = Dump(Part.SECRET, "where people's phones are reached")
    __erasure__ = by_column(user_id=DELETE)
    __export__ = Export(
        "devices",
        "the devices on which applications have registered you",
        "设备",
        "platform token last_active_at",
    )

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    platform: Mapped[str] = mapped_column(String(10))
    token: Mapped[str] = mapped_column(Text)
    """What the platform's service calls the application on this device."""
    token_hash: Mapped[str] = mapped_column(String(64))
    """The SHA-256 of platform and token, which may be too long for an index."""
    last_active_at: Mapped[Timestamp]
    """When the application registered it last."""

    __table_args__ = (
        UniqueConstraint("token_hash"),
        Index("ix_devices_user_id_last_active_at", "user_id", "last_active_at"),
        Index("ix_devices_last_active_at", "last_active_at"),
        {"sqlite_autoincrement": True},
    )
