"""OAuth 2 clients, tokens and codes. Every secret is kept as its SHA-256 in hexadecimal alone."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Boolean, ForeignKey, Index, String, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, EmptyText, PrimaryKey, Timestamp, UtcDateTime


class IssuedBy(StrEnum):
    """What an access token was issued for."""

    LOGIN = "login"
    """A password or an authorization code: somebody logged in."""
    REFRESH = "refresh"
    """A refresh token, so in the end a log-in too."""
    CLIENT = "client"
    """The client's own credentials; no user is involved."""
    ADMIN = "admin"
    """A command of an administrator (`forumsvc token issue`)."""


class OAuthClient(Base):
    """An application that may ask for tokens."""

    __tablename__ = "oauth_clients"

    id: Mapped[PrimaryKey]
    client_id: Mapped[str] = mapped_column(String(64))
    """The identifier that the application sends."""
    secret_hash: Mapped[str | None] = mapped_column(String(64))
    """Null for a public client, which has no secret."""
    public: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    name: Mapped[str] = mapped_column(String(100))
    owner_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    grants: Mapped[str] = mapped_column(Text)
    """The grants it may use, separated by blanks, as are redirect_uris and scopes."""
    redirect_uris: Mapped[EmptyText]
    scopes: Mapped[str] = mapped_column(Text)
    introspects: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether it may introspect the tokens of other clients."""
    created_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("client_id"),
        Index("ix_oauth_clients_owner_id", "owner_id"),
        {"sqlite_autoincrement": True},
    )


class OAuthToken(Base):
    """An access token and the refresh token that was given out with it, if one was."""

    __tablename__ = "oauth_tokens"

    id: Mapped[PrimaryKey]
    client_id: Mapped[int] = mapped_column(BigId, ForeignKey("oauth_clients.id"))
    user_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    """Null for a token of the client itself (client_credentials)."""
    family: Mapped[str] = mapped_column(String(64))
    """Shared by a token and all that were refreshed from it."""
    scope: Mapped[str] = mapped_column(Text)
    access_hash: Mapped[str] = mapped_column(String(64))
    access_expires_at: Mapped[Timestamp]
    refresh_hash: Mapped[str | None] = mapped_column(String(64))
    refresh_expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    refresh_scope: Mapped[str | None] = mapped_column(Text)
    """What the refresh token may ask for, where the access token was given less; null: `scope`."""
    refreshed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When the refresh token was used; a second use is theft (RFC 9700 §4.14.2)."""
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When the access token was first used: of one that a refresh issued, and only where that was
    within `oauth.refresh_grace`; later nothing depends on it."""
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    issued_by: Mapped[str] = mapped_column(
        String(10), default=IssuedBy.LOGIN, server_default=IssuedBy.LOGIN
    )
    """An `IssuedBy`: the end of all log-ins spares what an administrator issued."""
    created_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("access_hash"),
        UniqueConstraint("refresh_hash"),
        Index("ix_oauth_tokens_family", "family"),
        Index("ix_oauth_tokens_user_id", "user_id"),
        Index("ix_oauth_tokens_client_id", "client_id"),
        {"sqlite_autoincrement": True},
    )


class OAuthCode(Base):
    """An authorization code: what a person allowed, until the client fetches it, once."""

    __tablename__ = "oauth_codes"

    id: Mapped[PrimaryKey]
    code_hash: Mapped[str] = mapped_column(String(64))
    client_id: Mapped[int] = mapped_column(BigId, ForeignKey("oauth_clients.id"))
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    redirect_uri: Mapped[str | None] = mapped_column(Text)
    """As the authorization request gave it; null where it left it to the registered one."""
    scope: Mapped[str] = mapped_column(Text)
    challenge: Mapped[str | None] = mapped_column(String(43))
    """The S256 code challenge (RFC 7636); null where none was sent."""
    family: Mapped[str] = mapped_column(String(64))
    """Of the tokens that it gives, known beforehand so that a replay can end them."""
    created_at: Mapped[Timestamp]
    expires_at: Mapped[Timestamp]
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (
        UniqueConstraint("code_hash"),
        Index("ix_oauth_codes_client_id", "client_id"),
        Index("ix_oauth_codes_user_id", "user_id"),
        Index("ix_oauth_codes_expires_at", "expires_at"),
        {"sqlite_autoincrement": True},
    )
