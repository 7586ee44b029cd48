"""Reports of posts and users by members."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Boolean, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import (
    Base,
    BigId,
    EmptyText,
    PrimaryKey,
    Timestamp,
    UtcDateTime,
    one_of,
    partial_index,
)
from .declarations import CONTENT, SPECIAL, Export, by_column


class ReportCategory(StrEnum):
    """What is wrong with it."""

    SPAM = "spam"
    ABUSE = "abuse"
    OFF_TOPIC = "off_topic"
    ILLEGAL = "illegal"
    OTHER = "other"


class ReportState(StrEnum):
    """OPEN until a moderator has decided; then UPHELD or DISMISSED."""

    OPEN = "open"
    UPHELD = "upheld"
    DISMISSED = "dismissed"


class Report(Base):
    """A member says that a post or a user needs a moderator. It belongs to a review."""

    __tablename__ = "reports"
    __dump__ = CONTENT
    __erasure__ = by_column(reporter_id=SPECIAL)
    __export__ = Export("reports", "what you reported to the moderators", "举报")

    id: Mapped[PrimaryKey]
    reporter_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    review_id: Mapped[int] = mapped_column(BigId, ForeignKey("reviews.id"))
    category: Mapped[str] = mapped_column(String(10))
    comment: Mapped[EmptyText]
    text: Mapped[str | None] = mapped_column(Text)
    """The title and the text when it was reported, which its author may edit later; null for a
    user, and where it is that of an earlier report of the review."""
    is_established: Mapped[bool] = mapped_column(Boolean)
    """Whether the reporter was no newbie: only such reports hide a post."""
    state: Mapped[str] = mapped_column(String(10), default=ReportState.OPEN)
    created_at: Mapped[Timestamp]
    resolved_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (
        one_of("category", ReportCategory),
        one_of("state", ReportState),
        partial_index(
            "uq_reports_open", "review_id", "reporter_id", only="state = 'open'", unique=True
        ),
        Index("ix_reports_review_id_id", "review_id", "id"),
        Index("ix_reports_reporter_id_id", "reporter_id", "id"),
        {"sqlite_autoincrement": True},
    )
