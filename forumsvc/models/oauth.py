"""OAuth 2 clients, tokens and codes. Of every secret only the SHA-256 is stored, in hexadecimal."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Boolean, ForeignKey, Index, String, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, EmptyText, PrimaryKey, Timestamp, UtcDateTime
from .declarations import CONTENT, DELETE, SECRET, Dump, Export, Part, by_column


class IssuedBy(StrEnum):
    """What an access token was issued for."""

    LOGIN = "login"
    """A password or an authorization code: a user logged in."""
    REFRESH = "refresh"
    """A refresh token, so originally a login, too."""
    CLIENT = "client"
    """The client's own credentials; no user is involved."""
    ADMIN = "admin"
    """The command `forumsvc token issue` of an administrator."""


class OAuthClient(Base):
    """A registered OAuth client."""

    __tablename__ = "oauth_clients"
    __dump__ = CONTENT
    __erasure__ = by_column(owner_id=DELETE)
    __export__ = Export(
        "own_applications",
        "the applications that you registered",
        "应用",
        "client_id name redirect_uris scopes created_at",
    )

    id: Mapped[PrimaryKey]
    client_id: Mapped[str] = mapped_column(String(64))
    """The identifier that the application sends."""
    secret_hash: Mapped[str | None] = mapped_column(String(64), info=SECRET)
    """Null for a public client, which has no secret."""
    public: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    name: Mapped[str] = mapped_column(String(100))
    owner_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    grants: Mapped[str] = mapped_column(Text)
    """The allowed grant types, separated by spaces, as are redirect_uris and scopes."""
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
    """An access token, and the refresh token issued with it, if any."""

    __tablename__ = "oauth_tokens"
    __dump__ = Dump(Part.SECRET, "who is logged in")
    __erasure__ = by_column(user_id=DELETE)
    __export__ = Export(
        "applications", "which applications have, or had, access to your account", "应用"
    )

    id: Mapped[PrimaryKey]
    client_id: Mapped[int] = mapped_column(BigId, ForeignKey("oauth_clients.id"))
    user_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("users.id"))
    """Null for a token of the client itself (client_credentials)."""
    family: Mapped[str] = mapped_column(String(64))
    """The token family: equal for a token and all tokens refreshed from it."""
    scope: Mapped[str] = mapped_column(Text)
    access_hash: Mapped[str] = mapped_column(String(64))
    access_expires_at: Mapped[Timestamp]
    refresh_hash: Mapped[str | None] = mapped_column(String(64))
    refresh_expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    refresh_scope: Mapped[str | None] = mapped_column(Text)
    """The scope of the refresh token, where the access token has less; null: `scope`."""
    refreshed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When the refresh token was first used; a second use after `oauth.refresh_grace` means theft
    (RFC 9700 §4.14.2)."""
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    issued_by: Mapped[str] = mapped_column(
        String(10), default=IssuedBy.LOGIN, server_default=IssuedBy.LOGIN
    )
    """An `IssuedBy`: logging out everywhere does not revoke tokens of an administrator."""
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
    """An authorization code, which the client can exchange for a token once."""

    __tablename__ = "oauth_codes"
    __dump__ = Dump(Part.SECRET, "log-ins that are under way")
    __erasure__ = by_column(user_id=DELETE)

    id: Mapped[PrimaryKey]
    code_hash: Mapped[str] = mapped_column(String(64))
    client_id: Mapped[int] = mapped_column(BigId, ForeignKey("oauth_clients.id"))
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    redirect_uri: Mapped[str | None] = mapped_column(Text)
    """The one of the authorization request; null if it had none."""
    scope: Mapped[str] = mapped_column(Text)
    challenge: Mapped[str | None] = mapped_column(String(43))
    """The S256 code challenge (RFC 7636); null where none was sent."""
    family: Mapped[str] = mapped_column(String(64))
    """The family of the tokens issued for it, so that a replay can revoke them."""
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
