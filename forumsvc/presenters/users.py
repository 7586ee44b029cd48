"""UserSerializer and UserDetailSerializer."""

from typing import Any

from ..clock import rfc3339, rfc3339_or_none
from ..models import PROFILE_TEXTS, UserState, state_at
from ..queries.rows import UserRow, UserSummaryRow
from ..security.identity import Level, level_of
from .site import Site


def user(site: Site, row: UserSummaryRow) -> dict[str, Any]:
    """Return a UserSerializer of the `user_…` columns of a row."""
    login = row.user_login
    return {
        "id": row.user_id,
        "login": login,
        "name": row.user_name or login,
        "avatar_url": site.avatar_url(login, row.user_avatar),
    }


def person(site: Site, row: Any, prefix: str) -> dict[str, Any] | None:
    """Return a UserSerializer of the columns of a row with a prefix, or None without a user."""
    user_id, login, name, avatar = (
        getattr(row, f"{prefix}_{column}") for column in ("id", "login", "name", "avatar")
    )
    if user_id is None:
        return None
    avatar_url = site.avatar_url(login, avatar)
    return {"id": user_id, "login": login, "name": name or login, "avatar_url": avatar_url}


def user_detail(
    site: Site,
    row: UserRow,
    *,
    with_email: bool,
    with_restriction: bool = False,
    is_own: bool = False,
) -> dict[str, Any]:
    """Return a UserDetailSerializer.

    with_email: whether the caller may see the e-mail address; with_restriction: and why and until
    when the user is blocked; is_own: whether it is the caller, who sees an address that waits,
    when the account closes, and the language of emails.
    """
    state = state_at(row.state, row.blocked_until, site.now)
    level = level_of(row.role, state, row.created_at, site.now, site.newbie)
    if row.awaits_approval and state == UserState.ACTIVE:
        level = Level.NEWBIE
    is_blocked = state == UserState.BLOCKED
    shown = with_email and row.state != UserState.DELETED
    return {
        **user(site, row),
        **{text.name: getattr(row, text.name) for text in PROFILE_TEXTS},
        "email": (row.email or "") if shown else "",
        "unconfirmed_email": unconfirmed_email(row) if is_own else None,
        "closes_at": rfc3339_or_none(row.closes_at) if is_own else None,
        "locale": row.locale if is_own else None,
        "topics_count": row.topics_count,
        "replies_count": row.replies_count,
        "following_count": row.following_count,
        "followers_count": row.followers_count,
        "favorites_count": row.favorites_count,
        "level": level,
        "level_name": site.level_names[level],
        "restriction": restriction_of(row) if with_restriction and is_blocked else None,
        "created_at": rfc3339(row.created_at),
    }


def unconfirmed_email(row: UserRow) -> str | None:
    """Return the address that a user has to confirm: a new one, or the present one; or None."""
    never_confirmed = row.email if row.email_confirmed_at is None else None
    return row.unconfirmed_email or never_confirmed


def restriction_of(row: UserRow) -> dict[str, Any]:
    """Return why, since when and until when a blocked user may only read; null: not known, none."""
    return {
        "reason": row.blocked_reason,
        "since": rfc3339_or_none(row.blocked_at),
        "until": rfc3339_or_none(row.blocked_until),
    }
