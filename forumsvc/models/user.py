"""Users: login data, profile and counters."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, NamedTuple

from sqlalchemy import Boolean, Index, String, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import (
    Base,
    Counter,
    EmptyText,
    PrimaryKey,
    Timestamp,
    UtcDateTime,
    not_negative,
    one_of,
    partial_index,
)
from ..text.messages import Message
from .declarations import CONTENT, DERIVED, SECRET, Export
from .mail import MailPace

MailChoice = Annotated[
    str, mapped_column(String(10), default=MailPace.OFF, server_default=MailPace.OFF)
]
"""A `MailPace`."""


class TextKind(StrEnum):
    """What may stand in a text of a profile."""

    LINE = "line"
    LINES = "lines"
    URL = "url"


class ProfileText(NamedTuple):
    """A text that users write into their profile, empty by default.

    name: of the column, and in the API; label: on pages; help: for the API's description.
    """

    name: str
    label: Message
    kind: TextKind = TextKind.LINE
    max_length: int = 100
    help: str = ""


PROFILE_TEXTS = (
    ProfileText("location", Message("Location")),
    ProfileText("company", Message("Company")),
    ProfileText("codehost", Message("Code host"), help="The id on a code-hosting site."),
    ProfileText("microblog", Message("Microblog"), help="The id on a microblogging site."),
    ProfileText("website", Message("Website"), TextKind.URL, 255, "An http or https URL."),
    ProfileText("bio", Message("About me"), TextKind.LINES, 2000),
    ProfileText("tagline", Message("Tagline")),
)


class Role(StrEnum):
    """The role of an active user."""

    MEMBER = "member"
    VIP = "vip"
    MAINTAINER = "maintainer"
    ADMIN = "admin"


MODERATORS = frozenset({Role.MAINTAINER, Role.ADMIN})
"""The roles of who moderates."""
IS_MODERATOR = f"role IN {tuple(sorted(map(str, MODERATORS)))}"
"""The condition in SQL."""


class UserState(StrEnum):
    """The state of a user; only active users may write."""

    ACTIVE = "active"
    BLOCKED = "blocked"
    DELETED = "deleted"


def state_at(state: str, blocked_until: datetime | None, now: datetime) -> str:
    """Return the state of a user at a time: a block ends by the clock, whoever notices it."""
    has_ended = state == UserState.BLOCKED and blocked_until is not None and blocked_until <= now
    return UserState.ACTIVE if has_ended else state


class User(Base):
    """A user; a deleted one keeps the row, because their posts stay."""

    __tablename__ = "users"
    __dump__ = CONTENT
    __export__ = Export(
        "profile",
        "your account and your profile",
        "资料",
        "login name email email_confirmed_at unconfirmed_email email_public role state blocked_at "
        "blocked_until blocked_reason awaits_approval avatar closes_at closure_posts "
        "unwanted_notifications locale mail_mention mail_reply mail_follow mail_moderation "
        "mail_digest mail_refused_at "
        f"{' '.join(text.name for text in PROFILE_TEXTS)} topics_count "
        "replies_count following_count followers_count favorites_count unread_count created_at "
        "updated_at",
    )

    id: Mapped[PrimaryKey]
    login: Mapped[str] = mapped_column(String(20))
    login_key: Mapped[str] = mapped_column(String(20), info=DERIVED)
    """The login in lower case: logins are unique ignoring case."""
    email: Mapped[str | None] = mapped_column(String(255))
    email_key: Mapped[str | None] = mapped_column(String(255), info=DERIVED)
    email_confirmed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Since when the e-mail counts as the user's; null: they have not confirmed it."""
    unconfirmed_email: Mapped[str | None] = mapped_column(String(255))
    """A new address, which replaces `email` once the user confirms it."""
    email_public: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    password_hash: Mapped[str | None] = mapped_column(String(255), info=SECRET)
    role: Mapped[str] = mapped_column(String(10), default=Role.MEMBER)
    state: Mapped[str] = mapped_column(String(10), default=UserState.ACTIVE)
    blocked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    blocked_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When the block of a blocked user ends by itself; null: it has no end."""
    blocked_reason: Mapped[str | None] = mapped_column(Text)
    """Why a user is blocked, shown to them; null if nobody gave a reason."""
    awaits_approval: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether a moderator has to approve the account before the user may write."""
    is_builtin: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether it is the user `system`, the actor of what the service does itself."""
    closes_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When the user is erased, as they asked for; null if they did not."""
    closure_posts: Mapped[str | None] = mapped_column(String(10))
    """What becomes of their posts then."""
    unwanted_notifications: Mapped[EmptyText]
    """The types of which they want none, each between two blanks (`notifications.preferences`)."""
    locale: Mapped[str | None] = mapped_column(String(10))
    """The language of emails to them; null: that of the site."""
    mail_mention: Mapped[MailChoice]
    mail_reply: Mapped[MailChoice]
    mail_follow: Mapped[MailChoice]
    mail_moderation: Mapped[MailChoice]
    mail_digest: Mapped[MailChoice]
    digest_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When the next digest is due; null: they want none."""
    mail_refusals: Mapped[Counter]
    """How many emails in a row a mail server has refused for their address."""
    mail_refused_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Since when they get none about what happened, because too many were; null: they do."""

    name: Mapped[EmptyText]
    name_key: Mapped[str] = mapped_column(
        Text().with_variant(Text(collation="C"), "postgresql"),
        default="",
        server_default="",
        info=DERIVED,
    )
    """The name in normal form (`search.normal_form`)."""
    location: Mapped[EmptyText]
    company: Mapped[EmptyText]
    codehost: Mapped[EmptyText]
    microblog: Mapped[EmptyText]
    website: Mapped[EmptyText]
    bio: Mapped[EmptyText]
    tagline: Mapped[EmptyText]
    avatar: Mapped[EmptyText]
    """The stored name of the avatar image; empty without one."""

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
        one_of("role", Role),
        one_of("state", UserState),
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
# Finds the silences that have ended.
partial_index("ix_users_blocked_until", User.blocked_until, only="blocked_until IS NOT NULL")
# Finds the accounts whose address nobody has confirmed.
partial_index(
    "ix_users_unconfirmed",
    User.created_at,
    only="email IS NOT NULL AND email_confirmed_at IS NULL",
)
# Counts those whose address is refused.
partial_index("ix_users_mail_refused_at", User.mail_refused_at, only="mail_refused_at IS NOT NULL")
# Finds the digests that are due.
partial_index("ix_users_digest_at", User.digest_at, only="digest_at IS NOT NULL")
# Finds the accounts that are to be closed.
partial_index("ix_users_closes_at", User.closes_at, only="closes_at IS NOT NULL")
# Finds the moderators.
partial_index("ix_users_staff", User.role, User.id, only=IS_MODERATOR)
# Few users have an avatar; this finds the user of a stored image by its name.
partial_index("ix_users_avatar", User.avatar, only="avatar <> ''")
# Bytes are compared, as SQLite does anyway: all keys with the same beginning stand together.
Index("ix_users_name_key", User.name_key)
Index("ix_users_login_key_bytes", User.login_key.collate("C")).ddl_if(dialect="postgresql")
