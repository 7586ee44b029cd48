"""Reading the posts that wait for a moderator."""

from datetime import datetime
from functools import cache, partial
from typing import Any, Protocol

from sqlalchemy import Select, Text, bindparam, func, select

from ..db.base import BigId
from ..db.compiled_statement import Query
from ..db.execution import ReadConnection, row
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..db.statements import with_row_locks
from ..models import HeldPost, HeldState, User
from .rows import UserSummaryRow, columns
from .user_columns import summary


class HeldPostRow(UserSummaryRow, Protocol):
    """A held post, for its ACL and `presenters.held_posts.held_post`."""

    id: int
    kind: str
    node_id: int | None
    topic_id: int | None
    reply_id: int | None
    title: str | None
    body: str
    reason: str
    state: str
    created_at: datetime


_NEWEST_FIRST = SortOrder("held_posts", id=HeldPost.id)
_COLUMNS = (*columns(HeldPost, HeldPostRow), *summary())
_CONDITIONS: dict[str, Any] = {
    "state": HeldPost.state == bindparam("state"),
    "user_id": HeldPost.user_id == bindparam("user_id"),
}


def _select() -> Select[Any]:
    return select(*_COLUMNS).join(User, User.id == HeldPost.user_id)


_BY_ID: Any = _select().where(HeldPost.id == bindparam("id"))
_LOCKED_BY_ID = with_row_locks(_BY_ID, HeldPost)


def by_id(db: ReadConnection, held_id: int, *, lock: bool = False) -> HeldPostRow | None:
    """Return a held post, or None. lock: until the transaction ends."""
    return row(db, _LOCKED_BY_ID if lock else _BY_ID, {"id": held_id})


@cache
def _page(names: tuple[str, ...], keyset: KeysetPage) -> Query:
    query = _select().where(*(_CONDITIONS[name] for name in names))
    return keyset.apply(query)


def page_of(db: ReadConnection, page: PageRequest, *, user_id: int | None, state: str) -> PageRows:
    """Return a page of `HeldPostRow`, the newest first. user_id: only theirs; None: all."""
    values: dict[str, Any] = {"state": state}
    if user_id is not None:
        values["user_id"] = user_id
    build = partial(_page, tuple(sorted(values)))
    return load_page(db, page, _NEWEST_FIRST, build, values, ("body",))


_WAITING_EQUAL: Any = select(HeldPost.id).where(
    HeldPost.user_id == bindparam("user_id"),
    HeldPost.state == HeldState.WAITING,
    HeldPost.topic_id.is_not_distinct_from(bindparam("topic_id", type_=BigId)),
    HeldPost.title.is_not_distinct_from(bindparam("title", type_=Text)),
    HeldPost.body == bindparam("body"),
)


def waiting_equal(
    db: ReadConnection, user_id: int, body: str, title: str | None, topic_id: int | None
) -> int | None:
    """Return the id of a user's post with the same text that waits, or None.

    title: of a topic; topic_id: of the topic that is replied to.
    """
    values = {"user_id": user_id, "body": body, "title": title, "topic_id": topic_id}
    result: Any = row(db, _WAITING_EQUAL, values)
    return None if result is None else int(result.id)


_WAITING_COUNT: Any = select(func.count(HeldPost.id).label("waiting")).where(
    HeldPost.user_id == bindparam("user_id"), HeldPost.state == HeldState.WAITING
)


def waiting_count(db: ReadConnection, user_id: int) -> int:
    """Return how many posts of a user wait."""
    result: Any = row(db, _WAITING_COUNT, {"user_id": user_id})
    return int(result.waiting)
