"""Topics, and an index for each sort order of their lists.

A state is stored as the time it began (`closed_at`, `banned_at` …) or null: one column says both
whether and since when, and `IS NULL` works in the partial indexes of both databases. All columns of
a sort order descend, so an ascending index serves it, read backwards.
"""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, String, Text
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
from .cache_version import random_version
from .declarations import CHOICE, CONTENT, DERIVED, KEEP, RENDERED, Export, by_column

VISIBLE = "deleted_at IS NULL AND banned_at IS NULL"
HIDDEN = "deleted_at IS NOT NULL OR banned_at IS NOT NULL"
HAS_DELETED_BODY = "deleted_at IS NOT NULL AND body <> ''"
"""Of topics and replies: deleted, and restorable, as the body is not deleted for good."""


def _list_indexes() -> list[Index]:
    """Return the indexes of the five lists of the forum, and of the five lists of a node.

    With the author as the last column, topics of users whom the viewer blocks can be skipped
    without reading the rows.
    """
    orders = {
        "active": (("last_active_at", "id"), VISIBLE),
        "recent": (("id",), VISIBLE),
        "popular": (("likes_count", "replies_count", "id"), VISIBLE),
        "no_reply": (("id",), f"{VISIBLE} AND replies_count = 0"),
        "excellent": (("id",), f"{VISIBLE} AND excellent_at IS NOT NULL"),
    }
    return [
        partial_index(f"ix_topics_{scope}{order}", *leading, *columns, "user_id", only=only)
        for scope, leading in (("", ()), ("node_", ("node_id",)))
        for order, (columns, only) in orders.items()
    ]


class Topic(Base):
    """A topic, with its first post."""

    __tablename__ = "topics"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=CHOICE, closed_by_id=KEEP, last_reply_user_id=KEEP)
    __export__ = Export(
        "topics",
        "your topics, with their texts in Markdown",
        "主题",
        "node_id title body likes_count replies_count hits excellent_at pinned_at closed_at "
        "banned_at deleted_at created_at updated_at",
    )

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    node_id: Mapped[int] = mapped_column(BigId, ForeignKey("nodes.id"))
    title: Mapped[str] = mapped_column(String(255))
    body: Mapped[str] = mapped_column(Text)
    body_html: Mapped[str] = mapped_column(Text, info=RENDERED)
    markup_version: Mapped[int] = mapped_column(Integer, info=RENDERED)
    """The version of the renderer that made `body_html`."""

    excellent_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    pinned_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Since when the topic stands before the others, where a list is asked for that."""
    node_locked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When a moderator last chose the node, which the author cannot change any more."""
    closed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    closed_by_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    banned_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    replies_count: Mapped[Counter]
    others_replies_count: Mapped[Counter]
    """Of users other than the author, who may delete the topic while this is 0."""
    likes_count: Mapped[Counter]
    hits: Mapped[Counter]
    last_reply_user_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    replied_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    last_active_at: Mapped[Timestamp]
    """`replied_at`, or `created_at` where there is no reply."""
    created_at: Mapped[Timestamp]
    updated_at: Mapped[Timestamp]
    edited_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When an edit last kept the text of before (`PostVersion`)."""
    editor_id: Mapped[int | None] = mapped_column(BigId)
    """Who wrote the present text; null for the author. No foreign key, which SQLite cannot add to a
    table that exists."""
    version: Mapped[int] = mapped_column(
        BigInteger,
        default=random_version,
        onupdate=random_version,
        server_default="0",
        info=DERIVED,
    )
    """The cache version: changes with the topic and its replies, except with `hits`."""

    __table_args__ = (
        *_list_indexes(),
        partial_index("ix_topics_user_recent", "user_id", "id", only=VISIBLE),
        # For the pace of posting, which counts hidden topics, too.
        partial_index("ix_topics_user_hidden", "user_id", "id", only=HIDDEN),
        partial_index("ix_topics_user_likes", "user_id", "likes_count", "id", only=VISIBLE),
        partial_index("ix_topics_user_replies", "user_id", "replies_count", "id", only=VISIBLE),
        partial_index("ix_topics_hidden", "id", only=HIDDEN),
        partial_index(
            "ix_topics_pinned", "pinned_at", "id", only=f"pinned_at IS NOT NULL AND {VISIBLE}"
        ),
        partial_index("ix_topics_deleted", "deleted_at", only=HAS_DELETED_BODY),
        Index("ix_topics_markup_version_id", "markup_version", "id"),
        # For the topics of a node when they are moved to another.
        Index("ix_topics_node_id", "node_id"),
        *not_negative("replies_count", "others_replies_count", "likes_count", "hits"),
        {"sqlite_autoincrement": True},
    )
