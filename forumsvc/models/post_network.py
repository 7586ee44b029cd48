"""From which networks users wrote: hashes only, and only for some days."""

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp
from .declarations import DELETE, Dump, Part, by_column


class PostNetwork(Base):
    """A network from which a user wrote, where `moderation.keep_addresses_days` is set."""

    __tablename__ = "post_networks"
    __dump__ = Dump(Part.SECRET, "hashes of people's networks")
    __erasure__ = by_column(user_id=DELETE)

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    network: Mapped[str] = mapped_column(String(64))
    """A keyed hash (HMAC) of the network."""
    last_post_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("user_id", "network"),
        Index("ix_post_networks_network", "network"),
        Index("ix_post_networks_last_post_at", "last_post_at"),
        {"sqlite_autoincrement": True},
    )
