"""Replies to topics."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, Integer, Text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import (
    Base,
    BigId,
    Counter,
    PrimaryKey,
    Timestamp,
    UtcDateTime,
    not_negative,
    partial_index,
)
from .declarations import CHOICE, CONTENT, RENDERED, Export, by_column
from .topic import HAS_DELETED_BODY


class Reply(Base):
    """A reply to a topic; a deleted one stays, so that the numbers of the others do not change."""

    __tablename__ = "replies"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=CHOICE)
    __export__ = Export(
        "replies",
        "your replies",
        "回帖（Markdown 原文）",  # noqa: RUF001 - Chinese
        "topic_id body likes_count deleted_at created_at updated_at",
    )

    id: Mapped[PrimaryKey]
    topic_id: Mapped[int] = mapped_column(BigId, ForeignKey("topics.id"))
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    body: Mapped[str] = mapped_column(Text)
    body_html: Mapped[str] = mapped_column(Text, info=RENDERED)
    markup_version: Mapped[int] = mapped_column(Integer, info=RENDERED)
    likes_count: Mapped[Counter]
    deleted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    created_at: Mapped[Timestamp]
    updated_at: Mapped[Timestamp]
    edited_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """As of `Topic`."""
    editor_id: Mapped[int | None] = mapped_column(BigId)
    """As of `Topic`."""

    __table_args__ = (
        Index("ix_replies_topic_id_id", "topic_id", "id"),
        Index("ix_replies_markup_version_id", "markup_version", "id"),
        partial_index(
            "ix_replies_user_id_id_topic_id",
            *("user_id", "id", "topic_id"),
            only="deleted_at IS NULL",
        ),
        # For the pace of posting, which counts deleted replies, too.
        partial_index("ix_replies_user_deleted", "user_id", "id", only="deleted_at IS NOT NULL"),
        partial_index("ix_replies_deleted", "deleted_at", only=HAS_DELETED_BODY),
        *not_negative("likes_count"),
        {"sqlite_autoincrement": True},
    )
