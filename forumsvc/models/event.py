"""Events: what happened in the forum, for the background worker to tell others."""

from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, Index, String, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from ..db.base import Base, BigId, PrimaryKey, Timestamp, open_word
from .declarations import DERIVED, Dump, Part


class EventType(StrEnum):
    """What an event tells. The names are part of the API: webhooks and `GET /events` show them."""

    TOPIC_CREATED = "topic.created"
    TOPIC_UPDATED = "topic.updated"
    TOPIC_MOVED = "topic.moved"
    TOPIC_DELETED = "topic.deleted"
    TOPIC_RESTORED = "topic.restored"
    TOPIC_BANNED = "topic.banned"
    TOPIC_UNBANNED = "topic.unbanned"
    TOPIC_CLOSED = "topic.closed"
    TOPIC_OPENED = "topic.opened"
    TOPIC_FEATURED = "topic.featured"
    TOPIC_PINNED = "topic.pinned"
    TOPIC_UNPINNED = "topic.unpinned"
    TOPIC_UNFEATURED = "topic.unfeatured"
    REPLY_CREATED = "reply.created"
    REPLY_UPDATED = "reply.updated"
    REPLY_DELETED = "reply.deleted"
    REPLY_RESTORED = "reply.restored"
    USER_CREATED = "user.created"
    USER_CONFIRMED = "user.confirmed"
    USER_UPDATED = "user.updated"
    USER_SILENCED = "user.silenced"
    USER_UNSILENCED = "user.unsilenced"
    USER_WARNED = "user.warned"
    USER_ROLE_CHANGED = "user.role_changed"
    USER_DELETED = "user.deleted"
    LIKE_CREATED = "like.created"
    LIKE_DELETED = "like.deleted"
    FOLLOW_CREATED = "follow.created"
    PHOTO_CREATED = "photo.created"
    REPORT_CREATED = "report.created"
    REVIEW_OPENED = "review.opened"
    REVIEW_RESOLVED = "review.resolved"
    POST_HELD = "post.held"
    POST_RELEASED = "post.released"
    POST_REFUSED = "post.refused"


class current_transaction_id(FunctionElement[int]):  # noqa: N801 - as SQLAlchemy names functions
    """The number of the transaction on PostgreSQL; 0 on SQLite, which has one writer at a time."""

    name = "current_transaction_id"
    type = BigInteger()
    inherit_cache = True


@compiles(current_transaction_id, "postgresql")
def _xact_id(element: Any, compiler: SQLCompiler, **keywords: Any) -> str:
    return "(pg_current_xact_id()::text::bigint)"


@compiles(current_transaction_id)
def _zero(element: Any, compiler: SQLCompiler, **keywords: Any) -> str:
    return "0"


class Event(Base):
    """Something that happened, inserted in the transaction in which it happened.

    Ids are in the order of the INSERTs, which is not the order of the commits: see `xid` and
    `queries.events`. No foreign keys, which would cost each writer a lock per row; the ids may be
    those of rows that exist no more.
    """

    __tablename__ = "events"
    __dump__ = Dump(Part.SECRET, "a copy must not tell others what happened before")

    id: Mapped[PrimaryKey]
    xid: Mapped[int] = mapped_column(
        BigInteger, server_default=current_transaction_id(), info=DERIVED
    )
    """The transaction that inserted it (`pg_current_xact_id()`); 0 on SQLite."""
    type: Mapped[str] = open_word(EventType, 40)
    actor_id: Mapped[int | None] = mapped_column(BigId)
    """The user who did it; null for an administrator at the command line."""
    user_id: Mapped[int | None] = mapped_column(BigId)
    """The user whom it concerns."""
    topic_id: Mapped[int | None] = mapped_column(BigId)
    reply_id: Mapped[int | None] = mapped_column(BigId)
    node_id: Mapped[int | None] = mapped_column(BigId)
    """The node in which it happened, that of its topic at that time; of a move the new one."""
    data: Mapped[str | None] = mapped_column(Text)
    """What else belongs to it, as a small JSON object; never an email address or a secret."""
    created_at: Mapped[Timestamp]

    __table_args__ = (
        Index("ix_events_xid_id", "xid", "id"),
        Index("ix_events_type_xid_id", "type", "xid", "id"),
        {"sqlite_autoincrement": True},
    )


class EventPosition(Base):
    """How far a consumer has read the events: it has handled all up to this one."""

    __tablename__ = "event_positions"
    __dump__ = Dump(Part.SECRET, "belong to the events")

    consumer: Mapped[str] = mapped_column(String(40), primary_key=True)
    xid: Mapped[int] = mapped_column(BigInteger, info=DERIVED)
    id: Mapped[int] = mapped_column(BigInteger)
    updated_at: Mapped[Timestamp]
