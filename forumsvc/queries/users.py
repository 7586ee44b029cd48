"""Loads users: one, the popular ones, followers, followed and blocked users."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import Row, Select, bindparam, select
from sqlalchemy.orm import Session

from ..db.execution import ReadConnection, is_sqlite, row, rows, submit
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page, with_limit
from ..models import User, UserBlock, UserFollow, UserState
from .rows import UserRow, UserSummaryRow
from .user_columns import summary

_DETAIL_COLUMNS: tuple[Any, ...] = (
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
    return select(*_DETAIL_COLUMNS).where(User.id == bindparam("id"))


def by_id(db: ReadConnection, user_id: int) -> UserRow | None:
    """Return a user, or None."""
    return row(db, _by_id(), {"id": user_id})


@cache
def _by_login() -> Select[Any]:
    return select(*_DETAIL_COLUMNS).where(User.login_key == bindparam("login_key"))


def by_login(db: ReadConnection, login: str) -> UserRow | None:
    """Return the user with this login, ignoring case, or None."""
    return row(db, _by_login(), {"login_key": login.lower()})


@cache
def _by_ids() -> Select[Any]:
    return select(*summary()).where(User.id.in_(bindparam("ids", expanding=True)))


def by_ids(db: ReadConnection, ids: Sequence[int]) -> dict[int, UserSummaryRow]:
    """Return the users with these ids, deleted ones too, by id."""
    return {found.user_id: found for found in rows(db, _by_ids(), {"ids": ids})} if ids else {}


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


def popular(db: ReadConnection, limit: int) -> Sequence[UserSummaryRow]:
    """Return the active users with the most replies and topics."""
    return rows(db, _most_popular(), {"limit": limit})


@dataclass(frozen=True, slots=True)
class _Relation:
    """A list of the users at the far end of a relation, newest first."""

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
def _related(relation: _Relation, keyset: KeysetPage) -> Select[Any]:
    other = getattr(relation.model, relation.far).label("other_id")
    ids = select(*keyset.order.keys, other).where(
        getattr(relation.model, relation.near) == bindparam("user_id")
    )
    page = keyset.apply(ids).subquery("page")
    statement = select(*summary(), page.c.relation_id).join(page, page.c.other_id == User.id)
    return statement.order_by(*keyset.order_by(page.c))


def _read(db: ReadConnection, user_id: int, relation: _Relation, page: PageRequest) -> PageRows:
    return load_page(db, page, relation.order, partial(_related, relation), {"user_id": user_id})


def followers_of(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of the followers of a user, newest first."""
    return _read(db, user_id, _FOLLOWERS, page)


def followed_by(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of the users whom a user follows, newest first."""
    return _read(db, user_id, _FOLLOWING, page)


def blocked_by(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of the users whom a user blocks, newest first."""
    return _read(db, user_id, _BLOCKED, page)


@cache
def _mentioned() -> Select[Any]:
    columns: tuple[Any, ...] = (User.id, User.login, User.login_key)
    return select(*columns).where(
        User.login_key.in_(bindparam("keys", expanding=True)), User.state != UserState.DELETED
    )


def mentioned(db: ReadConnection, logins: Sequence[str]) -> dict[str, Row[Any]]:
    """Return the users (id, login) with these logins, without deleted ones, by login_key."""
    return _by_key(rows(db, _mentioned(), _keys(logins)))


def submit_mentioned(db: Session, logins: Sequence[str]) -> Callable[[], dict[str, Row[Any]]]:
    """Queue the SELECT of `mentioned`, and return the future of its result.

    On SQLite it runs only when the result is needed, for it would take the write lock.
    """
    if is_sqlite(db):
        return lambda: mentioned(db, logins)
    found = submit(db, _mentioned(), _keys(logins))
    return lambda: _by_key(found())


def _keys(logins: Sequence[str]) -> dict[str, Any]:
    return {"keys": [login.lower() for login in logins]}


def _by_key(found: Sequence[Row[Any]]) -> dict[str, Row[Any]]:
    return {user.login_key: user for user in found}
