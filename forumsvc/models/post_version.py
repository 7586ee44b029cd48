"""Former texts of topics and replies."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp, UtcDateTime
from .declarations import DELETE, RENDERED, Dump, Export, Part, by_column


class PostVersion(Base):
    """A text that an edit has replaced, of a topic or of a reply."""

    __tablename__ = "post_versions"
    __dump__ = Dump(Part.SECRET, "what authors have replaced, and moderators have hidden")
    __erasure__ = by_column(editor_id=DELETE, user_id=DELETE)
    __export__ = Export(
        "versions",
        "what you wrote before you or others edited it",
        "旧版本",
        "topic_id reply_id number title body created_at replaced_at hidden_at",
    )

    id: Mapped[PrimaryKey]
    topic_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("topics.id"))
    """Null for a reply."""
    reply_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("replies.id"))
    number: Mapped[int] = mapped_column(Integer)
    """In the order of the edits of its post."""
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    """The author of the post."""
    editor_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    """Who wrote this text: the author, or a moderator who edited it."""
    title: Mapped[str | None] = mapped_column(String(255))
    """Null for a reply."""
    body: Mapped[str] = mapped_column(Text)
    body_html: Mapped[str] = mapped_column(Text, info=RENDERED)
    markup_version: Mapped[int] = mapped_column(Integer, info=RENDERED)
    created_at: Mapped[Timestamp]
    """When this text was written."""
    replaced_at: Mapped[Timestamp]
    hidden_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When a moderator hid it from all but moderators."""

    __table_args__ = (
        UniqueConstraint("topic_id", "number"),
        UniqueConstraint("reply_id", "number"),
        Index("ix_post_versions_user_id", "user_id"),
        Index("ix_post_versions_editor_id_id", "editor_id", "id"),
        Index("ix_post_versions_replaced_at", "replaced_at"),
        Index("ix_post_versions_markup_version_id", "markup_version", "id"),
        {"sqlite_autoincrement": True},
    )
