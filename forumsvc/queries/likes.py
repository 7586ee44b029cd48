"""Loads the ids of the visible topics and replies that a user likes, newest first.

They are sorted by the id of the topic or reply, not by the time of the like: so the unique index
serves the list, too, and a like needs no second index.
"""

from functools import cache, partial
from typing import Any

from sqlalchemy import bindparam, select

from ..db.compiled_statement import Query
from ..db.execution import ReadConnection
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import Reply, ReplyLike, Topic, TopicLike
from .topics import VISIBLE

_TOPICS = SortOrder("likes.topic", topic_id=TopicLike.topic_id)
_REPLIES = SortOrder("likes.reply", reply_id=ReplyLike.reply_id)


_LIKES: dict[SortOrder, Any] = {
    _TOPICS: select(*_TOPICS.keys)
    .join(Topic, Topic.id == TopicLike.topic_id)
    .where(TopicLike.user_id == bindparam("user_id"), *VISIBLE),
    _REPLIES: select(*_REPLIES.keys)
    .join(Reply, Reply.id == ReplyLike.reply_id)
    .join(Topic, Topic.id == Reply.topic_id)
    .where(ReplyLike.user_id == bindparam("user_id"), Reply.deleted_at.is_(None), *VISIBLE),
}


@cache
def _page(in_topic: bool, keyset: KeysetPage) -> Query:
    statement = _LIKES[keyset.order]
    if in_topic:
        statement = statement.where(Topic.id == bindparam("topic_id"))
    return keyset.apply(statement)


def _read(
    order: SortOrder, db: ReadConnection, user_id: int, page: PageRequest, topic_id: int | None
) -> PageRows:
    """Return a page of the ids. topic_id: only this topic, or replies to it; None: all."""
    values = {"user_id": user_id}
    if topic_id is not None:
        values["topic_id"] = topic_id
    return load_page(db, page, order, partial(_page, topic_id is not None), values)


topics_of = partial(_read, _TOPICS)
replies_of = partial(_read, _REPLIES)
