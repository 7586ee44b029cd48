"""How far users have read: a row for each topic, and a row for what they marked as read at once."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp, UtcDateTime
from .declarations import CONTENT, DELETE, Export, by_column


class TopicRead(Base):
    """How far a user has read a topic that they opened, wrote, answered or follow."""

    __tablename__ = "topic_reads"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=DELETE)
    __export__ = Export(
        "read_topics", "how far you have read", "阅读进度", "topic_id last_reply_id read_at"
    )

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    topic_id: Mapped[int] = mapped_column(BigId, ForeignKey("topics.id"))
    last_reply_id: Mapped[int] = mapped_column(BigId, default=0, server_default="0")
    """Replies of the topic up to this id are read; 0: none is."""
    after_cutoff_id: Mapped[int] = mapped_column(BigId, default=0, server_default="0")
    """Only the user's cut-offs with higher ids hold here: behind the others the user went back."""
    read_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When the place moved last, or the topic was first opened; null: not yet."""
    forced_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When the user set the place back. What they opened before does not move it on again."""

    __table_args__ = (UniqueConstraint("user_id", "topic_id"),)


class ReadCutoff(Base):
    """A user has read all replies up to an id, in one node or in all (`node_id` is null)."""

    __tablename__ = "read_cutoffs"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=DELETE)
    __export__ = Export(
        "read_cutoffs", "what you marked as read at once", "一次标为已读", "node_id created_at"
    )

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    node_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("nodes.id"))
    last_reply_id: Mapped[int] = mapped_column(BigId)
    created_at: Mapped[Timestamp]

    __table_args__ = (
        Index("ix_read_cutoffs_user_id", "user_id"),
        Index("ix_read_cutoffs_node_id", "node_id"),
        {"sqlite_autoincrement": True},
    )
