"""Posts that wait for a moderator before anybody else sees them."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp, UtcDateTime, one_of
from .declarations import CONTENT, SPECIAL, Export, by_column


class HeldKind(StrEnum):
    """What the post would be."""

    TOPIC = "topic"
    REPLY = "reply"


class HoldReason(StrEnum):
    """Why a post is held: one of its author's first, a word, or links and images of a newbie."""

    FIRST_POST = "first_post"
    WORD = "word"
    LINKS = "links"


class HeldState(StrEnum):
    """WAITING, then published, refused by a moderator, or taken back by the author."""

    WAITING = "waiting"
    RELEASED = "released"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


class HeldPost(Base):
    """A post that is not published.

    It has a table of its own: a reply that is published later gets its id, and so its place among
    the other replies, at that moment.
    """

    __tablename__ = "held_posts"
    __dump__ = CONTENT
    __erasure__ = by_column(user_id=SPECIAL)
    __export__ = Export(
        "held_posts",
        "what you wrote that waited, or waits, for a moderator",
        "待审内容",
        "kind node_id topic_id reply_id title body reason state created_at closed_at",
    )

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    kind: Mapped[str] = mapped_column(String(10))
    node_id: Mapped[int | None] = mapped_column(BigId)
    """Of a topic. No foreign key: an empty node can be deleted meanwhile."""
    topic_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("topics.id"))
    """The topic that is replied to, or the published topic."""
    reply_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("replies.id"))
    """The published reply."""
    title: Mapped[str | None] = mapped_column(Text)
    body: Mapped[str] = mapped_column(Text)
    """The Markdown source; empty once it is published or withdrawn."""
    reason: Mapped[str] = mapped_column(String(10))
    state: Mapped[str] = mapped_column(String(10), default=HeldState.WAITING)
    created_at: Mapped[Timestamp]
    closed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (
        one_of("kind", HeldKind),
        one_of("reason", HoldReason),
        one_of("state", HeldState),
        Index("ix_held_posts_user_id_id", "user_id", "id"),
        Index("ix_held_posts_state_id", "state", "id"),
        Index("ix_held_posts_topic_id", "topic_id"),
        Index("ix_held_posts_reply_id", "reply_id"),
        {"sqlite_autoincrement": True},
    )
