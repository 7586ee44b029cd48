"""Loads topics: one, or a page of a list.

A list first selects the ids of its page by the index of its sort order, and joins the rest to
these few rows, so that a page at a large offset costs an index scan and no joins of skipped rows.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import cache, partial
from sys import getsizeof
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, exists, literal_column, or_, select
from sqlalchemy.orm import Session, aliased

from ..cache import versions
from ..cache.page_cache import PageCache
from ..db.execution import ReadConnection, row, rows
from ..db.executor import Executor
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..db.statements import last_inserted_id, with_row_locks
from ..models import Favorite, Node, Topic, User, UserBlock
from .rows import TopicListRow, TopicRow, TopicStateRow, columns
from .user_columns import summary


class TopicOrder(StrEnum):
    """The kinds of the forum's list of topics."""

    LAST_ACTIVED = "last_actived"
    RECENT = "recent"
    NO_REPLY = "no_reply"
    POPULAR = "popular"
    EXCELLENT = "excellent"


class UserTopicOrder(StrEnum):
    """The orders of a user's own topics."""

    RECENT = "recent"
    LIKES = "likes"
    REPLIES = "replies"


_replier = aliased(User, name="replier")


def _list_columns(node_name: Any, replier_login: Any) -> tuple[Any, ...]:
    return (
        *columns(Topic, TopicStateRow, TopicListRow, without={"user_id"}),
        node_name.label("node_name"),
        replier_login.label("last_reply_user_login"),
        *summary(),
    )


LIST_COLUMNS = _list_columns(Node.name, _replier.login)
_TEXTS = (
    *columns(Topic, TopicRow),
    versions.display_names_version(),
    versions.access_version(),
)

VISIBLE = (Topic.deleted_at.is_(None), Topic.banned_at.is_(None))
"""What everybody can see; written as in the partial indexes, or these are not used."""

_hidden = aliased(Topic, name="hidden")


def is_visible(topic_id: Any, *, large_offset: bool) -> ColumnElement[bool]:
    """Return the condition that everybody can see the topic with the id of this column.

    It reads only the index of the few hidden topics, not the topics.
    large_offset: whether many rows are tested; then all hidden topics are loaded first.
    """
    is_hidden = or_(_hidden.deleted_at.is_not(None), _hidden.banned_at.is_not(None))
    if large_offset:
        return topic_id.not_in(select(_hidden.id).where(is_hidden))
    return ~exists().where(_hidden.id == topic_id, is_hidden)


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


def _joined(columns: tuple[Any, ...]) -> Select[Any]:
    return (
        select(*columns)
        .join(Node, Node.id == Topic.node_id)
        .join(User, User.id == Topic.user_id)
        .outerjoin(_replier, _replier.id == Topic.last_reply_user_id)
    )


def _page_of(ids: Select[Any], keyset: KeysetPage) -> Select[Any]:
    page = keyset.apply(ids.where(*VISIBLE)).subquery("page")
    keys = (page.c[name] for name in keyset.order.columns if name not in _LIST_COLUMN_NAMES)
    statement = _joined((*LIST_COLUMNS, *keys)).join(page, page.c.id == Topic.id)
    return statement.order_by(*keyset.order_by(page.c))


@cache
def _forum_list(kind: TopicOrder, in_node: bool, for_user: bool, keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys).where(*_LISTS[kind][1])
    if in_node:
        ids = ids.where(Topic.node_id == bindparam("node_id"))
    if for_user:
        blocked = select(UserBlock.target_id).where(UserBlock.user_id == bindparam("viewer_id"))
        ids = ids.where(Topic.user_id.not_in(blocked))
    return _page_of(ids, keyset)


def forum_list(
    db: ReadConnection,
    kind: TopicOrder,
    page: PageRequest,
    *,
    node_id: int | None,
    viewer_id: int | None,
) -> PageRows:
    """Return a page of the forum's topics, or of one node's, without topics of users whom the
    viewer blocks.
    """
    build = partial(_forum_list, kind, node_id is not None, viewer_id is not None)
    values = {"node_id": node_id, "viewer_id": viewer_id}
    parameters = {name: value for name, value in values.items() if value is not None}
    return load_page(db, page, _LISTS[kind][0], build, parameters)


@cache
def _user_list(keyset: KeysetPage) -> Select[Any]:
    ids = select(*keyset.order.keys).where(Topic.user_id == bindparam("user_id"))
    return _page_of(ids, keyset)


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
    statement = _joined((*LIST_COLUMNS, page.c.favorite_id))
    return statement.join(page, page.c.topic_id == Topic.id).order_by(*keyset.order_by(page.c))


def favorites_of(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of a user's favorite topics, the newest favorite first."""
    return load_page(db, page, _NEWEST_FAVORITE, _favorites, {"user_id": user_id})


_BY_ID: Any = _joined((*LIST_COLUMNS, *_TEXTS)).where(Topic.id == bindparam("id"))
# After a wait for the lock, PostgreSQL returns the new version of the locked row, but the old rows
# of joined tables: a topic that was moved meanwhile would not match the join any more.
_NODE_NAME = select(Node.name).where(Node.id == Topic.node_id).scalar_subquery()
_REPLIER_LOGIN = select(_replier.login).where(_replier.id == Topic.last_reply_user_id)
_LOCKED_BY_ID = with_row_locks(
    select(*_list_columns(_NODE_NAME, _REPLIER_LOGIN.scalar_subquery()), *_TEXTS)
    .join(User, User.id == Topic.user_id)
    .where(Topic.id == bindparam("id")),
    Topic,
)


def by_id(db: ReadConnection, topic_id: int, *, lock: bool = False) -> TopicRow | None:
    """Return a topic, even if hidden or deleted, or None.

    lock: lock it until the transaction ends.
    """
    return row(db, _LOCKED_BY_ID if lock else _BY_ID, {"id": topic_id})


_STATE: Any = select(*columns(Topic, TopicStateRow)).where(Topic.id == bindparam("id"))
_LOCKED_STATE = with_row_locks(_STATE, Topic)


def state(db: ReadConnection, topic_id: int, *, lock: bool = False) -> TopicStateRow | None:
    """Return the columns of a topic that its ACL and its actions need, or None.

    lock: lock it until the transaction ends.
    """
    return row(db, _LOCKED_STATE if lock else _STATE, {"id": topic_id})


_CREATED: Any = _joined((*LIST_COLUMNS, *_TEXTS)).where(Topic.id == last_inserted_id(Topic))


def created(db: Session) -> TopicRow:
    """Return the topic that this transaction inserted last, as `by_id` does."""
    [result] = rows(db, _CREATED, {})
    return result


_ROW_BYTES = 1_500
"""About what a cached row takes beside its texts."""


def by_id_cached(db: Executor, page_cache: PageCache, topic_id: int) -> TopicRow | None:
    """Return a topic as `by_id` does, from the cache where it has not changed since."""
    key = ("topic", topic_id)
    if key in page_cache:
        now = versions.load_topic_version(db, topic_id)
        if now is None:
            return None
        cached: Any = page_cache.get(key, (now.version, now.names_version))
        if cached is not None:
            topic: TopicRow = cached._replace(hits=now.hits, access_version=now.access_version)
            return topic
    result = by_id(db, topic_id)
    if result is not None:
        size = _ROW_BYTES + getsizeof(result.body) + getsizeof(result.body_html)
        page_cache.put(key, (result.version, result.names_version), result, size)
    return result


_BY_IDS: Any = _joined(LIST_COLUMNS).where(Topic.id.in_(bindparam("ids", expanding=True)))


def by_ids(db: ReadConnection, ids: Sequence[int]) -> dict[int, TopicListRow]:
    """Return the topics with these ids, by id."""
    return {item.id: item for item in rows(db, _BY_IDS, {"ids": ids})} if ids else {}
