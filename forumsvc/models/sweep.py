"""Orders to hide, delete or restore many posts of one user."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, Counter, PrimaryKey, Timestamp, UtcDateTime, not_negative, one_of
from .declarations import CONTENT, KEEP, by_column


class SweepAction(StrEnum):
    """What is done with each post. HIDE bans topics and deletes replies."""

    HIDE = "hide"
    DELETE = "delete"
    RESTORE = "restore"


class Sweep(Base):
    """An order, carried out by the background worker a few posts at a time."""

    __tablename__ = "sweeps"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=KEEP, actor_id=KEEP)

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    action: Mapped[str] = mapped_column(String(10))
    since: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Only the posts from this time on; null: all. Of RESTORE, the time when they were swept."""
    reason: Mapped[str | None] = mapped_column(Text)
    actor_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    """Null at the command line."""
    posts_done: Mapped[Counter]
    """How many posts were dealt with so far."""
    created_at: Mapped[Timestamp]
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (
        one_of("action", SweepAction),
        *not_negative("posts_done"),
        Index("ix_sweeps_user_id", "user_id"),
        Index("ix_sweeps_actor_id", "actor_id"),
        {"sqlite_autoincrement": True},
    )


class SweptPost(Base):
    """A post that a sweep hid. Restoring shows it again, and deletes this row."""

    __tablename__ = "swept_posts"
    __dump__ = CONTENT

    id: Mapped[PrimaryKey]
    sweep_id: Mapped[int] = mapped_column(BigId, ForeignKey("sweeps.id"))
    topic_id: Mapped[int] = mapped_column(BigId, ForeignKey("topics.id"))
    """The topic, also of a reply."""
    reply_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("replies.id"))
    hidden_at: Mapped[Timestamp]
    """What the sweep wrote into the post's `banned_at` or `deleted_at`. Where that has another
    value, somebody has changed it since."""

    __table_args__ = (
        Index("ix_swept_posts_sweep_id", "sweep_id"),
        Index("ix_swept_posts_topic_id", "topic_id"),
        Index("ix_swept_posts_reply_id", "reply_id"),
        {"sqlite_autoincrement": True},
    )
