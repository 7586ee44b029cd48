"""Loads topics by their ids, and says which of them everybody can see."""

from collections.abc import Sequence
from sys import getsizeof
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, exists, or_, select
from sqlalchemy.orm import Session, aliased

from ..cache import versions
from ..cache.page_cache import PageCache
from ..cache.versions import TopicVersion
from ..db.execution import ReadConnection, row, rows
from ..db.executor import Executor
from ..db.statements import last_inserted_id, with_row_locks
from ..models import Node, Topic, User
from .rows import TopicListRow, TopicRow, TopicStateRow, columns
from .user_columns import summary

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

    It reads only the index of the few hidden topics. large_offset: whether many rows are tested;
    then all hidden topics are loaded first.
    """
    is_hidden = or_(_hidden.deleted_at.is_not(None), _hidden.banned_at.is_not(None))
    if large_offset:
        return topic_id.not_in(select(_hidden.id).where(is_hidden))
    return ~exists().where(_hidden.id == topic_id, is_hidden)


def joined(columns: tuple[Any, ...]) -> Select[Any]:
    """Return the SELECT of these columns of topics, with node, author and last replier."""
    return (
        select(*columns)
        .join(Node, Node.id == Topic.node_id)
        .join(User, User.id == Topic.user_id)
        .outerjoin(_replier, _replier.id == Topic.last_reply_user_id)
    )


_BY_ID: Any = joined((*LIST_COLUMNS, *_TEXTS)).where(Topic.id == bindparam("id"))
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


_CREATED: Any = joined((*LIST_COLUMNS, *_TEXTS)).where(Topic.id == last_inserted_id(Topic))


def created(db: Session) -> TopicRow:
    """Return the topic that this transaction inserted last, as `by_id` does."""
    [result] = rows(db, _CREATED, {})
    return result


_ROW_BYTES = 1_500
"""About what a cached row takes beside its texts."""


def by_id_cached(
    db: Executor, page_cache: PageCache, topic_id: int, known: TopicVersion | None = None
) -> TopicRow | None:
    """Return a topic as `by_id` does, from the cache where it has not changed since.

    known: its version now, None to load it.
    """
    key = ("topic", topic_id)
    if key in page_cache:
        now = known or versions.load_topic_version(db, topic_id)
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


_BY_IDS: Any = joined(LIST_COLUMNS).where(Topic.id.in_(bindparam("ids", expanding=True)))


def by_ids(db: ReadConnection, ids: Sequence[int]) -> dict[int, TopicListRow]:
    """Return the topics with these ids, by id."""
    return {item.id: item for item in rows(db, _BY_IDS, {"ids": ids})} if ids else {}
