"""Loads accounts for administrators: a page, a search, one with the counts of what it owns."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, and_, func, or_, select

from ..db.execution import SqlConnection
from ..models import BrowserSession, OAuthClient, OAuthToken, Role, User, UserState

_SUMMARY: tuple[Any, ...] = (
    User.id,
    User.login,
    User.name,
    User.email,
    User.role,
    User.state,
    User.topics_count,
    User.replies_count,
    User.created_at,
)


def listing(
    db: SqlConnection,
    *,
    role: Role | None = None,
    state: UserState | None = None,
    text: str | None = None,
    after_id: int,
    limit: int,
) -> Sequence[Row[Any]]:
    """Return a page of accounts by id, after the account `after_id`.

    role, state: None for all; text: what login, name or e-mail contains, None for all. The
    comparison ignores case, on SQLite that of ASCII letters only.
    """
    query = select(*_SUMMARY).where(User.id > after_id).order_by(User.id).limit(limit)
    if role is not None:
        query = query.where(User.role == role)
    if state is not None:
        query = query.where(User.state == state)
    if text is not None:
        query = query.where(
            or_(
                User.login_key.contains(text.lower(), autoescape=True),
                User.email_key.contains(text.lower(), autoescape=True),
                User.name.icontains(text, autoescape=True),
                User.name.contains(text, autoescape=True),
            )
        )
    return db.execute(query).all()


def details(db: SqlConnection, user_id: int, now: datetime) -> Row[Any]:
    """Return an account by id: the summary, more columns, and the numbers of its valid sessions and
    tokens and of its applications.
    """
    sessions = _count(BrowserSession).where(
        BrowserSession.user_id == user_id, BrowserSession.expires_at > now
    )
    tokens = _count(OAuthToken).where(OAuthToken.user_id == user_id, is_valid_token(now))
    applications = _count(OAuthClient).where(OAuthClient.owner_id == user_id)
    columns = (
        *_SUMMARY,
        User.updated_at,
        User.email_confirmed_at,
        User.unconfirmed_email,
        User.blocked_until,
        User.blocked_reason,
        User.closes_at,
        User.closure_posts,
        sessions.scalar_subquery().label("sessions"),
        tokens.scalar_subquery().label("tokens"),
        applications.scalar_subquery().label("applications"),
    )
    return db.execute(select(*columns).where(User.id == user_id)).one()


def is_valid_token(now: datetime) -> Any:
    """Return the condition that an access token, or its refresh token, is valid."""
    refreshable = and_(
        OAuthToken.refresh_expires_at > now,
        OAuthToken.refreshed_at.is_(None),
    )
    return and_(
        OAuthToken.revoked_at.is_(None), or_(OAuthToken.access_expires_at > now, refreshable)
    )


def _count(model: Any) -> Select[Any]:
    return select(func.count()).select_from(model)
