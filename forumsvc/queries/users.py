"""Reading users: one, the popular ones, and those at the other end of a relation."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Row, Select, bindparam, select

from ..models import User, UserBlock, UserFollow, UserState
from .people import summary
from .reading import Page, Reader, paged, row, rows

_IN_FULL: tuple[Any, ...] = (
    *summary(),
    User.role,
    User.state,
    User.email,
    User.email_public,
    User.location,
    User.company,
    User.codehost,
    User.microblog,
    User.website,
    User.bio,
    User.tagline,
    User.topics_count,
    User.replies_count,
    User.following_count,
    User.followers_count,
    User.favorites_count,
    User.created_at,
)


@cache
def _by_id() -> Select[Any]:
    return select(*_IN_FULL).where(User.id == bindparam("id"))


def by_id(db: Reader, user_id: int) -> Row[Any] | None:
    """Return a user in full, or None."""
    return row(db, _by_id(), {"id": user_id})


@cache
def _by_login() -> Select[Any]:
    return select(*_IN_FULL).where(User.login_key == bindparam("login_key"))


def by_login(db: Reader, login: str) -> Row[Any] | None:
    """Return the user with this login, whatever the case, in full, or None."""
    return row(db, _by_login(), {"login_key": login.lower()})


@cache
def _popular() -> Select[Any]:
    return (
        select(*summary())
        .where(User.state == UserState.ACTIVE)
        .order_by(User.replies_count.desc(), User.topics_count.desc(), User.created_at, User.id)
    )


@cache
def _popular_page() -> Select[Any]:
    return paged(_popular())


def popular(db: Reader, limit: int) -> Sequence[Row[Any]]:
    """Return the active users who wrote the most."""
    return rows(db, _popular_page(), Page(0, limit).values)


@cache
def _related(model: Any, near: str, far: str) -> Select[Any]:
    ids = (
        select(model.id, getattr(model, far).label("other_id"))
        .where(getattr(model, near) == bindparam("user_id"))
        .order_by(model.id.desc())
    )
    page = paged(ids).subquery("page")
    return select(*summary()).join(page, page.c.other_id == User.id).order_by(page.c.id.desc())


def followers_of(db: Reader, user_id: int, page: Page) -> Sequence[Row[Any]]:
    """Return a page of those who follow the user, the latest first."""
    statement = _related(UserFollow, "target_id", "user_id")
    return rows(db, statement, {"user_id": user_id, **page.values})


def followed_by(db: Reader, user_id: int, page: Page) -> Sequence[Row[Any]]:
    """Return a page of those whom the user follows, the latest first."""
    statement = _related(UserFollow, "user_id", "target_id")
    return rows(db, statement, {"user_id": user_id, **page.values})


def blocked_by(db: Reader, user_id: int, page: Page) -> Sequence[Row[Any]]:
    """Return a page of those whom the user blocks, the latest first."""
    statement = _related(UserBlock, "user_id", "target_id")
    return rows(db, statement, {"user_id": user_id, **page.values})


@cache
def _mentioned() -> Select[Any]:
    columns: tuple[Any, ...] = (User.id, User.login, User.login_key)
    return select(*columns).where(
        User.login_key.in_(bindparam("keys", expanding=True)), User.state != UserState.DELETED
    )


def mentioned(db: Reader, logins: Sequence[str]) -> dict[str, Row[Any]]:
    """Return the users (id, login) with these logins who are not deleted, by lower-case login."""
    keys = [login.lower() for login in logins]
    return {found.login_key: found for found in rows(db, _mentioned(), {"keys": keys})}
