"""Selects the topics that are a user's own concern: what they follow, took part in, have not read.

The topic that was active last comes first.
"""

from dataclasses import replace
from enum import StrEnum
from functools import cache, partial
from typing import Any

from sqlalchemy import Select, and_, select, union_all

from ..db.execution import ReadConnection
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import Reply, Topic, TopicFollow, TopicRead
from .topic_lists import chosen, page_of
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


@cache
def _page(
    relation: TopicRelation | None, unread: bool, given: frozenset[str], keyset: KeysetPage
) -> Select[Any]:
    topic_id: Any = Topic.id
    if unread or relation is TopicRelation.OPENED:
        topics = select(Topic.last_active_at).where(Topic.id == TopicRead.topic_id, *VISIBLE)
        active_at = chosen(topics, given).correlate(TopicRead).scalar_subquery()
        place = own_places(last_active_at=active_at, read_at=TopicRead.read_at).c
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
    values = {"user_id": user_id}
    if node_id is not None:
        values["node_id"] = node_id
    if hides_blocked:
        values["viewer_id"] = user_id
    if hides_muted and unread and relation is None and node_id is None:
        values["muter_id"] = user_id
    build = partial(_page, relation, unread, frozenset(values))
    return load_page(db, page, _LAST_ACTIVE, build, values)
