"""Webhooks: addresses that events are sent to, and what was or is to be sent."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import (
    JSON,
    Boolean,
    ForeignKey,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    true,
)
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, EmptyText, PrimaryKey, Timestamp, UtcDateTime, one_of
from .declarations import KEEP, Dump, Part, by_column

ALL_EVENTS = "*"
"""In `Webhook.events`: every type."""


class Webhook(Base):
    """An address that events are sent to. Its secret is derived, and stored nowhere."""

    __tablename__ = "webhooks"
    __dump__ = Dump(
        Part.SECRET, "their addresses often hold a secret, and a copy must not call them"
    )
    __erasure__ = by_column(created_by_id=KEEP)

    id: Mapped[PrimaryKey]
    url: Mapped[str] = mapped_column(Text)
    description: Mapped[EmptyText]
    events: Mapped[list[str]] = mapped_column(JSON)
    """The types of events that it wants, or ALL_EVENTS alone."""
    node_ids: Mapped[list[int] | None] = mapped_column(JSON(none_as_null=True))
    """Only events of these nodes, and of no node; null: all."""
    generation: Mapped[int] = mapped_column(Integer, default=1, server_default="1")
    """Rises with each rotation of the secret."""
    rotated_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When the secret was rotated last; the one before signs beside it for a day."""
    active: Mapped[bool] = mapped_column(Boolean, default=True, server_default=true())
    disabled_reason: Mapped[str | None] = mapped_column(Text)
    """Why the service switched it off; null if it did not."""
    failing_since: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Since when every attempt has failed; null after a success."""
    created_by_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    """Null for one that was added at the command line."""
    created_at: Mapped[Timestamp]

    __table_args__ = (
        Index("ix_webhooks_created_by_id", "created_by_id"),
        {"sqlite_autoincrement": True},
    )


class DeliveryState(StrEnum):
    """WAITING: attempts are left; DELIVERED: the receiver answered 2xx; FAILED: given up."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class WebhookDelivery(Base):
    """One event for one webhook, and the outcome of its last attempt."""

    __tablename__ = "webhook_deliveries"
    __dump__ = Dump(Part.SECRET, "belong to the webhooks")

    id: Mapped[PrimaryKey]
    webhook_id: Mapped[int] = mapped_column(BigId, ForeignKey("webhooks.id", ondelete="CASCADE"))
    event_id: Mapped[int | None] = mapped_column(BigId)
    """Null for a ping. No foreign key: events are deleted after `events.keep_days`."""
    state: Mapped[str] = mapped_column(String(10), default=DeliveryState.WAITING)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    due_at: Mapped[Timestamp]
    """When to try next, where it is waiting."""
    status: Mapped[int | None] = mapped_column(Integer)
    """The HTTP status of the last answer; null if there was none."""
    error: Mapped[str | None] = mapped_column(Text)
    """Why the last attempt failed."""
    milliseconds: Mapped[int | None] = mapped_column(Integer)
    """How long the last attempt took."""
    created_at: Mapped[Timestamp]
    delivered_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (
        UniqueConstraint("webhook_id", "event_id"),
        one_of("state", DeliveryState),
        # When the next one of a webhook is due.
        Index("ix_webhook_deliveries_webhook_id_state_due_at", "webhook_id", "state", "due_at"),
        # The next ones of a webhook, oldest first, and those of a state, newest first. `due_at`
        # lets those that are not due be skipped without reading their rows.
        Index(
            "ix_webhook_deliveries_webhook_id_state_id_due_at",
            *("webhook_id", "state", "id", "due_at"),
        ),
        Index("ix_webhook_deliveries_created_at", "created_at"),
        {"sqlite_autoincrement": True},
    )
