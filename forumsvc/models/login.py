"""Login attempts, known addresses, and browser sessions."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp, UtcDateTime
from .declarations import DELETE, Dump, Export, Part, by_column


class _Attempt:
    """A login attempt. Columns are digests, because people type passwords in the login field.

    Attempts are counted by account and by address during a window, and deleted after it.
    """

    __dump__ = Dump(Part.LEFT_OUT, "counted for some minutes")

    id: Mapped[PrimaryKey]
    account: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64))


def _indexes(table: str, time: str) -> tuple[Any, ...]:
    keys = (["account", time], ["address", time], [time])
    indexes = (Index("_".join(["ix", table, *columns]), *columns) for columns in keys)
    return (*indexes, {"sqlite_autoincrement": True})


class LoginFailure(_Attempt, Base):
    """An attempt with a wrong password."""

    __tablename__ = "login_failures"

    failed_at: Mapped[Timestamp]

    __table_args__ = _indexes(__tablename__, "failed_at")


class LoginSuccess(_Attempt, Base):
    """An attempt with the right password: it costs a hash, too, so it is counted."""

    __tablename__ = "login_successes"

    succeeded_at: Mapped[Timestamp]

    __table_args__ = _indexes(__tablename__, "succeeded_at")


class LoginAddress(Base):
    """An address from which a user has logged in; failures from elsewhere do not block it."""

    __tablename__ = "login_addresses"
    __dump__ = Dump(Part.SECRET, "hashes of people's addresses")
    __erasure__ = by_column(user_id=DELETE)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"), primary_key=True)
    address: Mapped[str] = mapped_column(String(64), primary_key=True)
    seen_at: Mapped[Timestamp]

    __table_args__ = (Index("ix_login_addresses_seen_at", "seen_at"),)


class BrowserSession(Base):
    """A login session of the web pages; of the cookie's secret only the SHA-256 is stored."""

    __tablename__ = "browser_sessions"
    __dump__ = Dump(Part.SECRET, "who is logged in")
    __erasure__ = by_column(user_id=DELETE)
    __export__ = Export(
        "sessions",
        "where you are logged in on the pages: since when, until when, last used when and where",
        "登录会话",
        "browser created_at last_used_at network expires_at",
    )

    id: Mapped[PrimaryKey]
    secret_hash: Mapped[str] = mapped_column(String(64))
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    created_at: Mapped[Timestamp]
    expires_at: Mapped[Timestamp]
    browser: Mapped[str] = mapped_column(String(60), default="", server_default="")
    """As its owner calls it: "Firefox, Linux"."""
    last_used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """At most an hour older than the last use; null: not since the upgrade that brought it."""
    network: Mapped[str] = mapped_column(String(43), default="", server_default="")
    """From where it was used then: "192.0.2.0/24"; empty where that is no IP address."""

    __table_args__ = (
        UniqueConstraint("secret_hash"),
        Index("ix_browser_sessions_user_id", "user_id"),
        Index("ix_browser_sessions_expires_at", "expires_at"),
        {"sqlite_autoincrement": True},
    )
