"""Idempotency keys: a client may repeat a request without creating twice."""

from sqlalchemy import ForeignKey, Index, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, Timestamp
from .declarations import DELETE, Dump, Part, by_column


class IdempotencyKey(Base):
    """The response to a request with a key; without a status only within its own transaction."""

    __tablename__ = "idempotency_keys"
    __dump__ = Dump(Part.LEFT_OUT, "answers kept for a repeated request, for a day")
    __erasure__ = by_column(user_id=DELETE)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    request_digest: Mapped[str] = mapped_column(String(64))
    status: Mapped[int | None] = mapped_column(Integer)
    location: Mapped[str | None] = mapped_column(Text)
    etag: Mapped[str | None] = mapped_column(Text)
    body: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[Timestamp]

    __table_args__ = (Index("ix_idempotency_keys_created_at", "created_at"),)
