"""Emails that wait to be sent, were sent, or could not be sent."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import JSON, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp, UtcDateTime, one_of


class MailState(StrEnum):
    """WAITING: to be sent at `due_at`; SENT: a server took it; FAILED: given up."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"


class MailKind(StrEnum):
    """What an email is about; each has a template in `mail/templates`."""

    PASSWORD_RESET = "password_reset"  # noqa: S105 - no password
    EMAIL_CONFIRMATION = "email_confirmation"
    EMAIL_CHANGED = "email_changed"
    """To the address that an account had before."""
    WEBHOOK_OFF = "webhook_off"
    """To each admin: the service has switched a webhook off."""
    SILENCED = "silenced"
    UNSILENCED = "unsilenced"
    ACCOUNT_APPROVED = "account_approved"
    ACCOUNT_REFUSED = "account_refused"
    TEST = "test"
    """Sent at once by `forumsvc mail test`, never queued."""


class Mail(Base):
    """An email. Its text is made when it is sent, so no secret link is stored."""

    __tablename__ = "mails"

    id: Mapped[PrimaryKey]
    user_id: Mapped[int | None] = mapped_column(BigId)
    """Who gets it; null where only the address is known."""
    kind: Mapped[str] = mapped_column(String(40))
    """A MailKind."""
    key: Mapped[str | None] = mapped_column(String(100))
    """Unique, for causes that may be handled twice; null for all others."""
    recipient: Mapped[str] = mapped_column(String(255))
    data: Mapped[dict[str, str]] = mapped_column(JSON)
    """What the text needs beside the account; no secrets."""
    state: Mapped[str] = mapped_column(String(10), default=MailState.WAITING)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    error: Mapped[str | None] = mapped_column(Text)
    """Why the last attempt failed: a class and SMTP reply codes, never the server's text."""
    due_at: Mapped[Timestamp]
    created_at: Mapped[Timestamp]
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When it was sent or given up."""

    __table_args__ = (
        UniqueConstraint("key"),
        one_of("state", "state", MailState),
        Index("ix_mails_state_due_at", "state", "due_at"),
        Index("ix_mails_finished_at", "finished_at"),
        {"sqlite_autoincrement": True},
    )
