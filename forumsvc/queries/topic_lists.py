"""Loads the lists of topics: of the forum, of a node, of an author, and a user's favorites.

A list first selects the ids of its page by the index of its sort order, and joins the rest to
these few rows, so that a page at a large offset costs an index scan and no joins of skipped rows.
"""

from enum import StrEnum
from functools import cache, partial
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, literal_column, select

from ..db.execution import ReadConnection, rows
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import Favorite, Node, NodeMute, Topic, UserBlock
from .topics import LIST_COLUMNS, VISIBLE, is_visible, joined


class TopicOrder(StrEnum):
    """The kinds of the forum's list of topics."""

    LAST_ACTIVED = "last_actived"
    RECENT = "recent"
    NO_REPLY = "no_reply"
    POPULAR = "popular"
    EXCELLENT = "excellent"


class PinnedOrder(StrEnum):
    """Where pinned topics stand in the list by last activity."""

    FIRST = "first"


class UserTopicOrder(StrEnum):
    """The orders of a user's own topics."""

    RECENT = "recent"
    LIKES = "likes"
    REPLIES = "replies"


MAX_PINNED = 100
"""How many pinned topics come before a list at most."""
_LIST_COLUMN_NAMES = {column.key for column in LIST_COLUMNS}

_NO_REPLY = (Topic.replies_count == literal_column("0"),)
_EXCELLENT = (Topic.excellent_at.is_not(None),)
_LISTS: dict[TopicOrder, tuple[SortOrder, tuple[ColumnElement[bool], ...]]] = {
    TopicOrder.LAST_ACTIVED: (
        SortOrder("topics.last_actived", last_active_at=Topic.last_active_at, id=Topic.id),
        (),
    ),
    TopicOrder.RECENT: (SortOrder("topics.recent", id=Topic.id), ()),
    TopicOrder.NO_REPLY: (SortOrder("topics.no_reply", id=Topic.id), _NO_REPLY),
    TopicOrder.POPULAR: (
        SortOrder(
            "topics.popular",
            likes_count=Topic.likes_count,
            replies_count=Topic.replies_count,
            id=Topic.id,
        ),
        (),
    ),
    TopicOrder.EXCELLENT: (SortOrder("topics.excellent", id=Topic.id), _EXCELLENT),
}
_USER_ORDERS: dict[UserTopicOrder, SortOrder] = {
    UserTopicOrder.RECENT: SortOrder("user_topics.recent", id=Topic.id),
    UserTopicOrder.LIKES: SortOrder(
        "user_topics.likes", likes_count=Topic.likes_count, id=Topic.id
    ),
    UserTopicOrder.REPLIES: SortOrder(
        "user_topics.replies", replies_count=Topic.replies_count, id=Topic.id
    ),
}
_NEWEST_FAVORITE = SortOrder("favorites", favorite_id=Favorite.id)


def page_of(ids: Select[Any], keyset: KeysetPage) -> Select[Any]:
    """Return the SELECT of a page of topics. ids: the SELECT of the order's keys."""
    page = keyset.apply(ids).subquery("page")
    keys = (page.c[name] for name in keyset.order.columns if name not in _LIST_COLUMN_NAMES)
    statement = joined((*LIST_COLUMNS, *keys)).join(page, page.c.id == Topic.id)
    return statement.order_by(*keyset.order_by(page.c))


def chosen(query: Select[Any], given: frozenset[str]) -> Select[Any]:
    """Return a SELECT of some topics. given: the names of the parameters that choose them."""
    if "node_id" in given:
        query = query.where(Topic.node_id == bindparam("node_id"))
    if "viewer_id" in given:
        blocked = select(UserBlock.target_id).where(UserBlock.user_id == bindparam("viewer_id"))
        query = query.where(Topic.user_id.not_in(blocked))
    if "muter_id" in given:
        muted = select(NodeMute.node_id).where(NodeMute.user_id == bindparam("muter_id"))
        query = query.where(Topic.node_id.not_in(muted))
    return query


def of_forum(query: Select[Any], given: frozenset[str]) -> Select[Any]:
    """Return a SELECT as `chosen` does; of all nodes, without those that lists leave out."""
    if "node_id" not in given:
        hidden = select(Node.id).where(Node.hidden_in_lists)
        query = query.where(Topic.node_id.not_in(hidden))
    return chosen(query, given)


@cache
def _forum_list(
    kind: TopicOrder, given: frozenset[str], without_pinned: bool, keyset: KeysetPage
) -> Select[Any]:
    ids = select(*keyset.order.keys).where(*_LISTS[kind][1], *VISIBLE)
    if without_pinned:
        ids = ids.where(Topic.pinned_at.is_(None))
    return page_of(of_forum(ids, given), keyset)


@cache
def _pinned(given: frozenset[str]) -> Select[Any]:
    pinned = joined(LIST_COLUMNS).where(Topic.pinned_at.is_not(None), *VISIBLE)
    newest = pinned.order_by(Topic.pinned_at.desc(), Topic.id.desc()).limit(
        literal_column(str(MAX_PINNED))
    )
    return of_forum(newest, given)


def forum_list(
    db: ReadConnection,
    kind: TopicOrder,
    page: PageRequest,
    *,
    node_id: int | None,
    viewer_id: int | None,
    muter_id: int | None = None,
    pinned_first: bool = False,
) -> PageRows:
    """Return a page of one node's topics, or of all nodes that are not `hidden_in_lists`, without
    topics of users whom the viewer blocks, and of nodes that `muter_id` mutes.

    pinned_first: of `LAST_ACTIVED`: pinned topics, the newest pin first, come before the rows of
    the first page, in addition to them, and stand nowhere else. They count in no offset.
    """
    pinned_first = pinned_first and kind is TopicOrder.LAST_ACTIVED
    muter_id = muter_id if node_id is None else None
    values = {"node_id": node_id, "viewer_id": viewer_id, "muter_id": muter_id}
    parameters = {name: value for name, value in values.items() if value is not None}
    build = partial(_forum_list, kind, given := frozenset(parameters), pinned_first)
    result = load_page(db, page, _LISTS[kind][0], build, parameters)
    is_first = not (page.offset or page.after or (page.before and result.cursors.before))
    if not pinned_first or not is_first:
        return result
    return result._replace(rows=[*rows(db, _pinned(given), parameters), *result.rows])


@cache
def _user_list(keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys).where(Topic.user_id == bindparam("user_id"), *VISIBLE)
    return page_of(ids, keyset)


def by_user(db: ReadConnection, user_id: int, order: UserTopicOrder, page: PageRequest) -> PageRows:
    """Return a page of the topics of an author."""
    return load_page(db, page, _USER_ORDERS[order], _user_list, {"user_id": user_id})


@cache
def _favorites(keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys, Favorite.topic_id).where(
        Favorite.user_id == bindparam("user_id"),
        is_visible(Favorite.topic_id, large_offset=keyset.large_offset),
    )
    page = keyset.apply(ids).subquery("page")
    statement = joined((*LIST_COLUMNS, page.c.favorite_id))
    return statement.join(page, page.c.topic_id == Topic.id).order_by(*keyset.order_by(page.c))


def favorites_of(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of a user's favorite topics, the newest favorite first."""
    return load_page(db, page, _NEWEST_FAVORITE, _favorites, {"user_id": user_id})
