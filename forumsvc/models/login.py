"""Logging in: what failed, from where it succeeded, and the browser sessions it opened."""

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp


class LoginFailure(Base):
    """One wrong password. Both columns are digests: people type passwords where logins belong."""

    __tablename__ = "login_failures"

    id: Mapped[PrimaryKey]
    account: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64))
    failed_at: Mapped[Timestamp]

    __table_args__ = (
        Index("ix_login_failures_account_failed_at", "account", "failed_at"),
        Index("ix_login_failures_address_failed_at", "address", "failed_at"),
        Index("ix_login_failures_failed_at", "failed_at"),
        {"sqlite_autoincrement": True},
    )


class LoginSuccess(Base):
    """One right password: each costs a hash, so they are counted too. The columns are digests."""

    __tablename__ = "login_successes"

    id: Mapped[PrimaryKey]
    account: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64))
    succeeded_at: Mapped[Timestamp]

    __table_args__ = (
        Index("ix_login_successes_account_succeeded_at", "account", "succeeded_at"),
        Index("ix_login_successes_address_succeeded_at", "address", "succeeded_at"),
        Index("ix_login_successes_succeeded_at", "succeeded_at"),
        {"sqlite_autoincrement": True},
    )


class LoginAddress(Base):
    """An address from which a user has logged in; strangers' failures do not lock it out."""

    __tablename__ = "login_addresses"

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"), primary_key=True)
    address: Mapped[str] = mapped_column(String(64), primary_key=True)
    seen_at: Mapped[Timestamp]

    __table_args__ = (Index("ix_login_addresses_seen_at", "seen_at"),)


class BrowserSession(Base):
    """A person logged in to the pages; the cookie's secret is kept as its SHA-256 alone."""

    __tablename__ = "browser_sessions"

    id: Mapped[PrimaryKey]
    secret_hash: Mapped[str] = mapped_column(String(64))
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    created_at: Mapped[Timestamp]
    expires_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("secret_hash"),
        Index("ix_browser_sessions_user_id", "user_id"),
        Index("ix_browser_sessions_expires_at", "expires_at"),
        {"sqlite_autoincrement": True},
    )
