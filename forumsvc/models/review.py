"""The queue of moderators: what members reported, held posts and new accounts."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Boolean, ForeignKey, Index, Integer, String, Text, false
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import (
    Base,
    BigId,
    Counter,
    PrimaryKey,
    Timestamp,
    UtcDateTime,
    one_of,
    partial_index,
)
from .declarations import CONTENT, KEEP, SPECIAL, by_column


class ReviewKind(StrEnum):
    """Why a moderator has to look: at what was reported, or before it is published."""

    REPORTED = "reported"
    HELD = "held"
    ACCOUNT = "account"


class ReviewState(StrEnum):
    """OPEN until a moderator has decided."""

    OPEN = "open"
    RESOLVED = "resolved"


class Decision(StrEnum):
    """What a moderator decides. APPROVE and DISMISS are one for what was reported: it stays.

    Of what waits to be published, APPROVE and DELETE can be decided.
    """

    APPROVE = "approve"
    HIDE = "hide"
    DELETE = "delete"
    DISMISS = "dismiss"


class Review(Base):
    """A post, a user or a held post that a moderator has to look at, once for all reports of it."""

    __tablename__ = "reviews"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=SPECIAL, resolved_by_id=KEEP)

    id: Mapped[PrimaryKey]
    kind: Mapped[str] = mapped_column(String(10))
    object_key: Mapped[str] = mapped_column(String(30))
    """What it is about, `topic:12`, so that one open review of it can exist."""
    topic_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("topics.id"))
    """The topic, also of a reply; null for a user, and for what is not published."""
    reply_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("replies.id"))
    held_post_id: Mapped[int | None] = mapped_column(BigId)
    """The held post. No foreign key, which SQLite cannot add to a table that exists."""
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    """The author, or the user who was reported."""
    reports_count: Mapped[Counter]
    weight: Mapped[Counter]
    """The sum of the weights of its reporters."""
    hidden_by_service: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether so many members reported the post that the service hid it."""
    state: Mapped[str] = mapped_column(String(10), default=ReviewState.OPEN)
    decision: Mapped[str | None] = mapped_column(String(10))
    reason: Mapped[str | None] = mapped_column(Text)
    resolved_by_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    """Null also for a decision at the command line."""
    version: Mapped[int] = mapped_column(Integer, default=1, server_default="1")
    """Rises with each decision."""
    opened_at: Mapped[Timestamp]
    resolved_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (
        one_of("kind", ReviewKind),
        one_of("state", ReviewState),
        one_of("decision", Decision),
        partial_index("uq_reviews_open", "object_key", only="state = 'open'", unique=True),
        Index("ix_reviews_state_id", "state", "id"),
        Index("ix_reviews_state_weight_id", "state", "weight", "id"),
        Index("ix_reviews_resolved_at", "resolved_at"),
        Index("ix_reviews_topic_id", "topic_id"),
        Index("ix_reviews_reply_id", "reply_id"),
        Index("ix_reviews_user_id", "user_id"),
        Index("ix_reviews_resolved_by_id", "resolved_by_id"),
        {"sqlite_autoincrement": True},
    )
