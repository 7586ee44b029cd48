"""Selects the topics that are a user's own concern: what they follow, took part in, have not read.

The topic that was active last comes first.
"""

from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from functools import cache, partial
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
    union_all,
)
from sqlalchemy.orm import aliased

from ..db.base import BigId, UtcDateTime
from ..db.execution import ReadConnection, rows
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import ReadCutoff, Reply, Topic, TopicFollow, TopicRead
from .topic_lists import chosen, of_forum, page_of
from .topic_reads import USER_ID, has_unread, own_places
from .topics import VISIBLE


class TopicRelation(StrEnum):
    """What a user can have to do with a topic."""

    FOLLOWING = "following"
    TAKEN_PART = "taken_part"
    OPENED = "opened"


UNREAD = "unread"
"""The type of the forum's list that has the topics with unread replies."""

_NAME = "own_topics"
_LAST_ACTIVE = SortOrder(_NAME, last_active_at=Topic.last_active_at, id=Topic.id)


def _places(given: frozenset[str], *only: ColumnElement[bool]) -> Any:
    """Return the columns of the reader's places; `last_active_at` is null of topics left out."""
    topics = select(Topic.last_active_at).where(Topic.id == TopicRead.topic_id, *VISIBLE)
    active_at = chosen(topics, given).correlate(TopicRead).scalar_subquery()
    return own_places(*only, last_active_at=active_at, read_at=TopicRead.read_at).c


@cache
def _page(
    relation: TopicRelation | None, unread: bool, given: frozenset[str], keyset: KeysetPage
) -> Select[Any]:
    topic_id: Any = Topic.id
    if unread or relation is TopicRelation.OPENED:
        place = _places(given)
        topic_id = place.topic_id
        order = SortOrder(_NAME, last_active_at=place.last_active_at, id=topic_id)
        keyset = replace(keyset, order=order)
        ids = select(*order.keys).where(place.last_active_at.is_not(None))
        if unread:
            ids = ids.where(has_unread(place))
        if relation is TopicRelation.OPENED:
            ids = ids.where(place.read_at.is_not(None))
    else:
        ids = chosen(select(*keyset.order.keys).where(*VISIBLE), given)
    if relation is TopicRelation.FOLLOWING:
        is_followed = and_(TopicFollow.topic_id == topic_id, TopicFollow.user_id == USER_ID)
        ids = ids.join(TopicFollow, is_followed)
    elif relation is TopicRelation.TAKEN_PART:
        written: Any = select(Topic.id).where(Topic.user_id == USER_ID)
        answered: Any = select(Reply.topic_id).where(
            Reply.user_id == USER_ID, Reply.deleted_at.is_(None)
        )
        ids = ids.where(topic_id.in_(union_all(written, answered)))
    return page_of(ids, keyset)


def _values(user_id: int, hides_blocked: bool, hides_muted: bool) -> dict[str, Any]:
    """Return the parameters of `chosen`, whose names say what is left out."""
    values = {"user_id": user_id}
    if hides_blocked:
        values["viewer_id"] = user_id
    if hides_muted:
        values["muter_id"] = user_id
    return values


def own_list(
    db: ReadConnection,
    user_id: int,
    page: PageRequest,
    *,
    relation: TopicRelation | None = None,
    unread: bool = False,
    node_id: int | None = None,
    hides_blocked: bool = True,
    hides_muted: bool = True,
) -> PageRows:
    """Return a page of the topics with which a user has this relation.

    unread: only those in which the user has a place and unread replies; node_id: only those of this
    node; hides_blocked: without topics of users whom the user blocks; hides_muted: of unread
    topics, without those of nodes that the user mutes.
    """
    hides_muted = hides_muted and unread and relation is None and node_id is None
    values = _values(user_id, hides_blocked, hides_muted)
    if node_id is not None:
        values["node_id"] = node_id
    build = partial(_page, relation, unread, frozenset(values))
    return load_page(db, page, _LAST_ACTIVE, build, values)


MAX_EXAMINED = 500
"""Of so many topics that a user has opened, the newest ones, the unread ones are counted."""


class UnreadTopics(NamedTuple):
    """How many topics of `own_list` are unread. has_more: of more than were looked at.

    of_nodes: how many of each node that has some, by its id.
    """

    topics_count: int
    has_more: bool
    of_nodes: dict[int, int]


@cache
def _count(given: frozenset[str], excepts_one: bool) -> Any:
    opened = aliased(TopicRead)
    newest = select(opened.topic_id).where(opened.user_id == USER_ID)
    # One more than is counted tells that there are more.
    newest = newest.order_by(opened.topic_id.desc()).limit(literal_column(str(MAX_EXAMINED + 1)))
    place = _places(given, TopicRead.topic_id.in_(newest))
    is_listed = and_(place.last_active_at.is_not(None), has_unread(place))
    if excepts_one:
        is_listed = and_(is_listed, place.topic_id != bindparam("except_id", type_=BigId))
    examined = select(func.count()).select_from(place.topic_id.table).scalar_subquery()
    unread = select(Topic.node_id, func.count().label("topics_count"), examined.label("examined"))
    unread = unread.select_from(place.topic_id.table).join(Topic, Topic.id == place.topic_id)
    return unread.where(is_listed).group_by(Topic.node_id)


def count_unread(
    db: ReadConnection,
    user_id: int,
    *,
    except_id: int | None = None,
    hides_blocked: bool = True,
    hides_muted: bool = True,
) -> UnreadTopics:
    """Return how many topics `own_list` has with `unread`, of all nodes, by one SELECT.

    except_id: a topic that does not count.
    """
    values = _values(user_id, hides_blocked, hides_muted)
    statement = _count(frozenset(values), except_id is not None)
    found = rows(db, statement, {**values, "except_id": except_id})
    of_nodes = {result.node_id: result.topics_count for result in found}
    has_more = any(result.examined > MAX_EXAMINED for result in found)
    return UnreadTopics(sum(of_nodes.values()), has_more, of_nodes)


_MAX_NEW = 100
"""Among so many topics, the newest of all, those that are new to somebody are counted."""


@cache
def _new(given: frozenset[str]) -> Any:
    columns: tuple[Any, ...] = (Topic.id, Topic.node_id, Topic.created_at)
    newest = of_forum(select(*columns).where(*VISIBLE), given)
    topic = newest.order_by(Topic.id.desc()).limit(literal_column(str(_MAX_NEW))).subquery().c
    opened = select(TopicRead.id).where(
        TopicRead.user_id == USER_ID, TopicRead.topic_id == topic.id
    )
    marked = select(ReadCutoff.id).where(
        ReadCutoff.user_id == USER_ID,
        or_(ReadCutoff.node_id.is_(None), ReadCutoff.node_id == topic.node_id),
        ReadCutoff.created_at >= topic.created_at,
    )
    return select(func.count().label("topics_count")).where(
        topic.created_at > bindparam("since", type_=UtcDateTime), ~exists(opened), ~exists(marked)
    )


def count_new(
    db: ReadConnection,
    user_id: int,
    since: datetime,
    *,
    node_id: int | None = None,
    hides_blocked: bool = True,
    hides_muted: bool = True,
) -> int:
    """Return how many topics since a moment a user has neither opened nor marked as read.

    At most `_MAX_NEW`, of those that the list of the node shows, or the forum's.
    """
    values = _values(user_id, hides_blocked, hides_muted and node_id is None)
    if node_id is not None:
        values["node_id"] = node_id
    [result] = rows(db, _new(frozenset(values)), {**values, "since": since})
    count: int = result.topics_count
    return count
