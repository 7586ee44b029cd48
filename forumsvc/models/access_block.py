"""Networks, email addresses and email domains that may not use the forum, or not all of it."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp, UtcDateTime, one_of
from .declarations import CONTENT, KEEP, by_column


class AccessBlockKind(StrEnum):
    """ADDRESS: a network of IP addresses; EMAIL: one address; EMAIL_DOMAIN: with subdomains."""

    ADDRESS = "address"
    EMAIL = "email"
    EMAIL_DOMAIN = "email_domain"


class AccessBlockSeverity(StrEnum):
    """What is refused, from the mildest to the hardest.

    APPROVAL: a new account may only read until a moderator has approved it; SIGN_UP: a new account;
    WRITE: all that changes something; ALL: everything. Of emails and domains each but APPROVAL
    means SIGN_UP.
    """

    APPROVAL = "approval"
    SIGN_UP = "sign_up"
    WRITE = "write"
    ALL = "all"


class AccessBlock(Base):
    """A block of a network, an email address or an email domain."""

    __tablename__ = "access_blocks"
    __dump__ = CONTENT
    __erasure__ = by_column(by_id=KEEP)

    id: Mapped[PrimaryKey]
    kind: Mapped[str] = mapped_column(String(12))
    value: Mapped[str] = mapped_column(String(320))
    """In its normal form, see `services.access.values`."""
    severity: Mapped[str] = mapped_column(String(10))
    reason: Mapped[str] = mapped_column(Text)
    """For admins only."""
    by_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    """The admin; null for the command line."""
    created_at: Mapped[Timestamp]
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When it ends by itself; null: it has no end."""

    __table_args__ = (
        UniqueConstraint("kind", "value"),
        one_of("kind", AccessBlockKind),
        one_of("severity", AccessBlockSeverity),
        Index("ix_access_blocks_by_id", "by_id"),
        {"sqlite_autoincrement": True},
    )
