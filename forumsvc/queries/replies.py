"""Loads replies: one, a page of a topic's, a page of a user's."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, func, select
from sqlalchemy.orm import Session, aliased

from ..cache import versions
from ..db.execution import ReadConnection, row, rows
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..db.statements import last_inserted_id, with_row_locks
from ..models import Reply, Topic, User
from .rows import ReplyDetailRow, ReplyListRow, ReplyRow, ReplyStateRow, columns
from .topics import is_visible
from .user_columns import summary

LIST_COLUMNS = (*columns(Reply, ReplyListRow), *summary())
_TOPIC_STATE: tuple[Any, ...] = (
    Topic.user_id.label("topic_user_id"),
    Topic.closed_at.label("topic_closed_at"),
    Topic.banned_at.label("topic_banned_at"),
    Topic.deleted_at.label("topic_deleted_at"),
)
DETAIL_COLUMNS = (
    *LIST_COLUMNS,
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
    statement = _with_author(LIST_COLUMNS).join(page, page.c.id == Reply.id)
    return statement.order_by(*keyset.order_by(page.c))


def of_topic(db: ReadConnection, topic_id: int, page: PageRequest) -> PageRows:
    """Return a page of a topic's replies, oldest first, including deleted ones."""
    values = {"topic_id": topic_id}
    return load_page(db, page, _OLDEST_FIRST, _of_topic, values, ("body_html",))


@cache
def _by_user(keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys).where(
        Reply.user_id == bindparam("user_id"),
        Reply.deleted_at.is_(None),
        is_visible(Reply.topic_id, large_offset=keyset.large_offset),
    )
    page = keyset.apply(ids).subquery("page")
    return (
        _with_author(DETAIL_COLUMNS)
        .join(Topic, Topic.id == Reply.topic_id)
        .join(page, page.c.id == Reply.id)
        .order_by(*keyset.order_by(page.c))
    )


def by_user(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of the visible replies of a user, newest first, with all columns."""
    values = {"user_id": user_id}
    return load_page(db, page, _NEWEST_FIRST, _by_user, values, ("body", "body_html"))


@cache
def _place_of() -> Select[Any]:
    before = aliased(Reply)
    floor = (
        select(func.count())
        .select_from(before)
        .where(before.topic_id == Reply.topic_id, before.id <= Reply.id)
    )
    columns: tuple[Any, ...] = (Reply.topic_id, floor.scalar_subquery().label("floor"))
    return select(*columns).where(Reply.id == bindparam("id"))


def place_of(db: ReadConnection, reply_id: int) -> Any:
    """Return where a reply stands: `topic_id`, and `floor`, its place in the topic from 1.

    Deleted replies keep their places.
    """
    return row(db, _place_of(), {"id": reply_id})


_LAST_OF: Any = select(func.max(Reply.id).label("id")).where(
    Reply.topic_id == bindparam("topic_id"), Reply.deleted_at.is_(None)
)


def last_of(db: ReadConnection, topic_id: int) -> int | None:
    """Return the id of the last reply of a topic that is not deleted; None without one."""
    [result] = rows(db, _LAST_OF, {"topic_id": topic_id})
    last: int | None = result.id
    return last


def _detail() -> Select[Any]:
    return _with_author((*DETAIL_COLUMNS, versions.display_names_version())).join(
        Topic, Topic.id == Reply.topic_id
    )


_BY_ID: Any = _detail().where(Reply.id == bindparam("id"))
_LOCKED_BY_ID = with_row_locks(_BY_ID, Topic, Reply)


def by_id(db: ReadConnection, reply_id: int, *, lock: bool = False) -> ReplyRow | None:
    """Return a reply with the state of its topic, even if hidden or deleted, or None.

    lock: lock the reply and its topic until the transaction ends.
    """
    return row(db, _LOCKED_BY_ID if lock else _BY_ID, {"id": reply_id})


_STATE: Any = (
    select(Reply.id, Reply.topic_id, Reply.user_id, Reply.deleted_at, *_TOPIC_STATE)
    .join(Topic, Topic.id == Reply.topic_id)
    .where(Reply.id == bindparam("id"))
)


def state(db: ReadConnection, reply_id: int) -> ReplyStateRow | None:
    """Return the columns of a reply that its ACL needs, or None."""
    return row(db, _STATE, {"id": reply_id})


_CREATED: Any = _detail().where(Reply.id == last_inserted_id(Reply))


def created(db: Session) -> ReplyRow:
    """Return the reply that this transaction inserted last, as `by_id` does."""
    [result] = rows(db, _CREATED, {})
    return result


_BY_IDS: Any = _with_author(LIST_COLUMNS).where(Reply.id.in_(bindparam("ids", expanding=True)))


def by_ids(db: ReadConnection, ids: Sequence[int]) -> dict[int, ReplyListRow]:
    """Return the replies with these ids, by id."""
    return {item.id: item for item in rows(db, _BY_IDS, {"ids": ids})} if ids else {}


_DETAILS_BY_IDS: Any = (
    _with_author(DETAIL_COLUMNS)
    .join(Topic, Topic.id == Reply.topic_id)
    .where(Reply.id.in_(bindparam("ids", expanding=True)))
)


def details_by_ids(db: ReadConnection, ids: Sequence[int]) -> dict[int, ReplyDetailRow]:
    """Return the replies with these ids, with their topics' columns, by id."""
    return {item.id: item for item in rows(db, _DETAILS_BY_IDS, {"ids": ids})} if ids else {}
