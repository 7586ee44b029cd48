"""Reading replies: one, a page of a topic's, a page of a user's."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Row, Select, bindparam, select
from sqlalchemy.orm import Session

from ..cache import versions
from ..db.execution import ReadConnection, row, rows, submit
from ..db.executor import RowsFuture
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..db.statements import last_inserted_id, with_row_locks
from ..models import Reply, Topic, User
from .people import summary
from .topics import is_shown

LISTED: tuple[Any, ...] = (
    Reply.id,
    Reply.topic_id,
    Reply.body,
    Reply.body_html,
    Reply.deleted_at,
    Reply.likes_count,
    Reply.created_at,
    Reply.updated_at,
    *summary(),
)
_TOPIC_STATE: tuple[Any, ...] = (
    Topic.user_id.label("topic_user_id"),
    Topic.closed_at.label("topic_closed_at"),
    Topic.banned_at.label("topic_banned_at"),
    Topic.deleted_at.label("topic_deleted_at"),
)
IN_FULL = (
    *LISTED,
    Topic.title.label("topic_title"),
    *_TOPIC_STATE,
    Topic.version.label("topic_version"),
)


def _with_author(columns: tuple[Any, ...]) -> Select[Any]:
    return select(*columns).join(User, User.id == Reply.user_id)


_OLDEST_FIRST = SortOrder("replies", ascending=True, id=Reply.id)
_NEWEST_FIRST = SortOrder("user_replies", id=Reply.id)


@cache
def _of_topic(keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys).where(Reply.topic_id == bindparam("topic_id"))
    page = keyset.apply(ids).subquery("page")
    statement = _with_author(LISTED).join(page, page.c.id == Reply.id)
    return statement.order_by(*keyset.order_by(page.c))


def of_topic(db: ReadConnection, topic_id: int, page: PageRequest) -> PageRows:
    """Return a page of a topic's replies, oldest first, deleted ones in their places."""
    return load_page(db, page, _OLDEST_FIRST, _of_topic, {"topic_id": topic_id})


@cache
def _by_user(keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys).where(
        Reply.user_id == bindparam("user_id"),
        Reply.deleted_at.is_(None),
        is_shown(Reply.topic_id, large_offset=keyset.large_offset),
    )
    page = keyset.apply(ids).subquery("page")
    return (
        _with_author(IN_FULL)
        .join(Topic, Topic.id == Reply.topic_id)
        .join(page, page.c.id == Reply.id)
        .order_by(*keyset.order_by(page.c))
    )


def by_user(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of what a user replied where everybody can see it, newest first, in full."""
    return load_page(db, page, _NEWEST_FIRST, _by_user, {"user_id": user_id})


def _in_full() -> Select[Any]:
    return _with_author((*IN_FULL, versions.names())).join(Topic, Topic.id == Reply.topic_id)


@cache
def _one(*, lock: bool) -> Select[Any]:
    statement = _in_full().where(Reply.id == bindparam("id"))
    return with_row_locks(statement, Topic, Reply) if lock else statement


def one(db: ReadConnection, reply_id: int, *, lock: bool = False) -> Row[Any] | None:
    """Return a reply in full with the state of its topic, hidden ones too, or None.

    lock: nobody else changes it or its topic until this transaction ends.
    """
    return row(db, _one(lock=lock), {"id": reply_id})


@cache
def _state() -> Select[Any]:
    columns: tuple[Any, ...] = (Reply.id, Reply.user_id, Reply.deleted_at, *_TOPIC_STATE)
    its_topic = select(*columns).join(Topic, Topic.id == Reply.topic_id)
    return its_topic.where(Reply.id == bindparam("id"))


def state(db: ReadConnection, reply_id: int) -> Row[Any] | None:
    """Return what decides over who may do what with a reply, or None."""
    return row(db, _state(), {"id": reply_id})


@cache
def _written() -> Select[Any]:
    return _in_full().where(Reply.id == last_inserted_id(Reply))


def ask_written(db: Session) -> RowsFuture:
    """Ask for the reply that was the last row to be inserted, and return what gives it, as `one`
    does, in a list.
    """
    return submit(db, _written(), {})


@cache
def _some() -> Select[Any]:
    return _with_author(LISTED).where(Reply.id.in_(bindparam("ids", expanding=True)))


def some(db: ReadConnection, ids: Sequence[int]) -> dict[int, Row[Any]]:
    """Return the replies with these ids, by id."""
    return {found.id: found for found in rows(db, _some(), {"ids": ids})} if ids else {}
