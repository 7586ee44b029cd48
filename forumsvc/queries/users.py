"""Reading users: one, the popular ones, and those at the other end of a relation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import Row, Select, bindparam, select
from sqlalchemy.orm import Session

from ..db.execution import ReadConnection, is_sqlite, row, rows, submit
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page, with_limit
from ..models import User, UserBlock, UserFollow, UserState
from .people import summary

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


def by_id(db: ReadConnection, user_id: int) -> Row[Any] | None:
    """Return a user in full, or None."""
    return row(db, _by_id(), {"id": user_id})


@cache
def _by_login() -> Select[Any]:
    return select(*_IN_FULL).where(User.login_key == bindparam("login_key"))


def by_login(db: ReadConnection, login: str) -> Row[Any] | None:
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
def _most_popular() -> Select[Any]:
    statement: Select[Any] = with_limit(_popular())
    return statement


def popular(db: ReadConnection, limit: int) -> Sequence[Row[Any]]:
    """Return the active users who wrote the most."""
    return rows(db, _most_popular(), {"limit": limit})


@dataclass(frozen=True, slots=True)
class _Relation:
    """A list of those at the far end of a relation, the latest first."""

    model: Any
    near: str
    far: str
    order: SortOrder


def _relation(name: str, model: Any, near: str, far: str) -> _Relation:
    return _Relation(model, near, far, SortOrder(name, relation_id=model.id))


_FOLLOWERS = _relation("followers", UserFollow, "target_id", "user_id")
_FOLLOWING = _relation("following", UserFollow, "user_id", "target_id")
_BLOCKED = _relation("blocked", UserBlock, "user_id", "target_id")


@cache
def _related(to: _Relation, keyset: KeysetPage) -> Select[Any]:
    other = getattr(to.model, to.far).label("other_id")
    ids = select(*keyset.order.keys, other).where(
        getattr(to.model, to.near) == bindparam("user_id")
    )
    page = keyset.apply(ids).subquery("page")
    statement = select(*summary(), page.c.relation_id).join(page, page.c.other_id == User.id)
    return statement.order_by(*keyset.order_by(page.c))


def _read(db: ReadConnection, user_id: int, to: _Relation, page: PageRequest) -> PageRows:
    return load_page(db, page, to.order, partial(_related, to), {"user_id": user_id})


def followers_of(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of those who follow the user, the latest first."""
    return _read(db, user_id, _FOLLOWERS, page)


def followed_by(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of those whom the user follows, the latest first."""
    return _read(db, user_id, _FOLLOWING, page)


def blocked_by(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of those whom the user blocks, the latest first."""
    return _read(db, user_id, _BLOCKED, page)


@cache
def _mentioned() -> Select[Any]:
    columns: tuple[Any, ...] = (User.id, User.login, User.login_key)
    return select(*columns).where(
        User.login_key.in_(bindparam("keys", expanding=True)), User.state != UserState.DELETED
    )


def mentioned(db: ReadConnection, logins: Sequence[str]) -> dict[str, Row[Any]]:
    """Return the users (id, login) with these logins who are not deleted, by lower-case login."""
    return _by_key(rows(db, _mentioned(), _keys(logins)))


def ask_mentioned(db: Session, logins: Sequence[str]) -> Callable[[], dict[str, Row[Any]]]:
    """Ask for users as `mentioned` does, and return what gives them when they are needed.

    SQLite is asked only then: the first statement takes its one write lock.
    """
    if is_sqlite(db):
        return lambda: mentioned(db, logins)
    found = submit(db, _mentioned(), _keys(logins))
    return lambda: _by_key(found())


def _keys(logins: Sequence[str]) -> dict[str, Any]:
    return {"keys": [login.lower() for login in logins]}


def _by_key(found: Sequence[Row[Any]]) -> dict[str, Row[Any]]:
    return {user.login_key: user for user in found}
