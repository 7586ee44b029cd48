"""Restrictions of users by moderators: silences and warnings."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp, UtcDateTime, one_of
from .declarations import CONTENT, DELETE, KEEP, Export, by_column


class RestrictionKind(StrEnum):
    """SILENCE: the user may only read until it ends; WARNING: they are told a reason."""

    SILENCE = "silence"
    WARNING = "warning"


class Restriction(Base):
    """A silence or a warning. What holds now stands in the user's row; these rows are its history.

    A silence that another one replaces is lifted at that moment.
    """

    __tablename__ = "restrictions"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=DELETE, by_id=KEEP, lifted_by_id=KEEP)
    __export__ = Export(
        "restrictions",
        "warnings and silences",
        "处罚",
        "kind reason topic_id reply_id started_at until lifted_at",
    )

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    kind: Mapped[str] = mapped_column(String(10))
    reason: Mapped[str] = mapped_column(Text)
    """Shown to the user."""
    note: Mapped[str | None] = mapped_column(Text)
    """For moderators only."""
    by_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    """The moderator; null for the command line."""
    topic_id: Mapped[int | None] = mapped_column(BigId)
    reply_id: Mapped[int | None] = mapped_column(BigId)
    """What it is about, if it is about a post."""
    started_at: Mapped[Timestamp]
    until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When a silence ends; null: it has no end."""
    lifted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When a silence was lifted before its end; null if it was not."""
    lifted_by_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    review_id: Mapped[int | None] = mapped_column(BigId)

    __table_args__ = (
        one_of("kind", RestrictionKind),
        Index("ix_restrictions_user_id_id", "user_id", "id"),
        Index("ix_restrictions_by_id", "by_id"),
        Index("ix_restrictions_lifted_by_id", "lifted_by_id"),
        {"sqlite_autoincrement": True},
    )
