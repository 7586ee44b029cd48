"""Users: who may log in, what they say of themselves, and what is counted for them."""

from enum import StrEnum

from sqlalchemy import Boolean, Index, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, Counter, EmptyText, PrimaryKey, Timestamp, not_negative, one_of


class Role(StrEnum):
    """What an active user is trusted with."""

    MEMBER = "member"
    VIP = "vip"
    MAINTAINER = "maintainer"
    ADMIN = "admin"


class UserState(StrEnum):
    """Whether a user takes part."""

    ACTIVE = "active"
    BLOCKED = "blocked"
    DELETED = "deleted"


class User(Base):
    """A row a person; a deleted person keeps the row, because what they wrote stays."""

    __tablename__ = "users"

    id: Mapped[PrimaryKey]
    login: Mapped[str] = mapped_column(String(20))
    login_key: Mapped[str] = mapped_column(String(20))
    """The login in lower case: logins are unique whatever the case."""
    email: Mapped[str | None] = mapped_column(String(255))
    email_key: Mapped[str | None] = mapped_column(String(255))
    email_public: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    password_hash: Mapped[str | None] = mapped_column(String(255))
    role: Mapped[str] = mapped_column(String(10), default=Role.MEMBER)
    state: Mapped[str] = mapped_column(String(10), default=UserState.ACTIVE)

    name: Mapped[EmptyText]
    location: Mapped[EmptyText]
    company: Mapped[EmptyText]
    codehost: Mapped[EmptyText]
    microblog: Mapped[EmptyText]
    website: Mapped[EmptyText]
    bio: Mapped[EmptyText]
    tagline: Mapped[EmptyText]
    avatar: Mapped[EmptyText]
    """The stored name of the picture; empty where the user set none."""

    topics_count: Mapped[Counter]
    replies_count: Mapped[Counter]
    following_count: Mapped[Counter]
    followers_count: Mapped[Counter]
    favorites_count: Mapped[Counter]
    unread_count: Mapped[Counter]

    created_at: Mapped[Timestamp]
    updated_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("login_key"),
        UniqueConstraint("email_key"),
        one_of("role", "role", Role),
        one_of("state", "state", UserState),
        *not_negative(
            "topics_count",
            "replies_count",
            "following_count",
            "followers_count",
            "favorites_count",
            "unread_count",
        ),
        {"sqlite_autoincrement": True},
    )


Index(
    "ix_users_popular",
    User.state,
    User.replies_count.desc(),
    User.topics_count.desc(),
    User.created_at,
    User.id,
)
# Few users have a picture of their own; whether a stored one is somebody's is asked by its name.
Index(
    "ix_users_avatar",
    User.avatar,
    sqlite_where=text("avatar <> ''"),
    postgresql_where=text("avatar <> ''"),
)
