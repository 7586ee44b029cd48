"""Loads replies: one, a page of a topic's, a page of a user's."""

from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Select, bindparam, case, func, select
from sqlalchemy.orm import Session, aliased

from ..cache import versions
from ..db.execution import ReadConnection, row, rows
from ..db.keyset_paging import (
    KeysetPage,
    PageRequest,
    PageRows,
    SortOrder,
    load_around,
    load_page,
    with_limit,
)
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


class ReplyOrder(StrEnum):
    """The orders of a topic's replies."""

    OLDEST = "oldest"
    NEWEST = "newest"


def _with_author(columns: tuple[Any, ...]) -> Select[Any]:
    return select(*columns).join(User, User.id == Reply.user_id)


ORDERS: dict[ReplyOrder, SortOrder] = {
    ReplyOrder.OLDEST: SortOrder("replies", ascending=True, id=Reply.id),
    ReplyOrder.NEWEST: SortOrder("replies.newest", id=Reply.id),
}
_NEWEST_OF_USER = SortOrder("user_replies", id=Reply.id)
_LIST_TEXTS = ("body_html",)


@cache
def _of_topic(keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys).where(Reply.topic_id == bindparam("topic_id"))
    page = keyset.apply(ids).subquery("page")
    statement = _with_author(LIST_COLUMNS).join(page, page.c.id == Reply.id)
    return statement.order_by(*keyset.order_by(page.c))


def of_topic(
    db: ReadConnection,
    topic_id: int,
    page: PageRequest,
    order: ReplyOrder = ReplyOrder.OLDEST,
) -> PageRows:
    """Return a page of a topic's replies, including deleted ones."""
    values = {"topic_id": topic_id}
    return load_page(db, page, ORDERS[order], _of_topic, values, _LIST_TEXTS)


def around(
    db: ReadConnection, topic_id: int, reply_id: int, limit: int, order: ReplyOrder
) -> PageRows | None:
    """Return at most `limit` replies of a topic that stand around one, which may be deleted.

    None: the topic has no such reply.
    """
    values = {"topic_id": topic_id}
    return load_around(db, reply_id, limit, ORDERS[order], _of_topic, values, _LIST_TEXTS)


class Places(NamedTuple):
    """Where replies stand in their topic. places: of each, from 1; total: of the topic's replies.

    Deleted replies count in both.
    """

    places: Sequence[int]
    total: int


_PLACES: Any = select(
    func.count().label("total"),
    func.count(case((Reply.id <= bindparam("oldest"), 1))).label("place"),
).where(Reply.topic_id == bindparam("topic_id"))


def places(
    db: ReadConnection, topic_id: int, shown: Sequence[ReplyListRow], order: ReplyOrder
) -> Places:
    """Return the places of replies that stand one after the other in a list of this order."""
    is_ascending = order is ReplyOrder.OLDEST
    oldest = 0 if not shown else shown[0 if is_ascending else -1].id
    [counted] = rows(db, _PLACES, {"topic_id": topic_id, "oldest": oldest})
    numbers = range(counted.place, counted.place + len(shown))
    return Places(numbers if is_ascending else numbers[::-1], counted.total)


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
    return load_page(db, page, _NEWEST_OF_USER, _by_user, values, ("body", "body_html"))


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


_EXTENT_OF: Any = select(func.count().label("places"), func.max(Reply.id).label("newest_id")).where(
    Reply.topic_id == bindparam("topic_id")
)


def extent_of(db: ReadConnection, topic_id: int) -> tuple[int, int]:
    """Return how many places of replies a topic has, and the id of the last one, 0 without one.

    Deleted ones keep their places.
    """
    [result] = rows(db, _EXTENT_OF, {"topic_id": topic_id})
    return result.places, result.newest_id or 0


@cache
def _later_with() -> Select[Any]:
    place = func.row_number().over(order_by=Reply.id).label("place")
    after = (
        select(place, Reply.body_html, Reply.deleted_at)
        .where(Reply.topic_id == bindparam("topic_id"), Reply.id > bindparam("after"))
        .order_by(Reply.id)
    )
    later = with_limit(after).subquery("later").c
    has_part = later.body_html.contains(bindparam("part"))
    return select(later.place, later.body_html).where(has_part, later.deleted_at.is_(None))


def later_with(
    db: ReadConnection, topic_id: int, after: int, part: str, most: int
) -> Sequence[tuple[int, str]]:
    """Return which of the replies after one have a part in their HTML: their places, and the HTML.

    after: the id of that one; places: 1 for the next one; part: without `%` and `_`; most: so many
    are looked at.
    """
    values = {"topic_id": topic_id, "after": after, "part": part, "limit": most}
    return [(item.place, item.body_html) for item in rows(db, _later_with(), values)]


def _detail() -> Select[Any]:
    return _with_author(
        (*DETAIL_COLUMNS, *columns(Reply, ReplyRow), versions.display_names_version())
    ).join(Topic, Topic.id == Reply.topic_id)


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
