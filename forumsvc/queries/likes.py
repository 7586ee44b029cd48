"""What a user likes, as ids: those of what everybody can see, the newest first.

They are in the order of what is liked, not of the liking: so the unique key of the pairs is the
index of the list, too, and a like costs no second one.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, select

from ..models import Reply, ReplyLike, Topic, TopicLike
from .reading import Page, Reader, paged, rows
from .topics import VISIBLE


def _topics() -> Select[Any]:
    return (
        select(TopicLike.topic_id)
        .join(Topic, Topic.id == TopicLike.topic_id)
        .where(TopicLike.user_id == bindparam("user_id"), *VISIBLE)
        .order_by(TopicLike.topic_id.desc())
    )


def _replies() -> Select[Any]:
    return (
        select(ReplyLike.reply_id)
        .join(Reply, Reply.id == ReplyLike.reply_id)
        .join(Topic, Topic.id == Reply.topic_id)
        .where(ReplyLike.user_id == bindparam("user_id"), Reply.deleted_at.is_(None), *VISIBLE)
        .order_by(ReplyLike.reply_id.desc())
    )


@cache
def _page(of_replies: bool, in_topic: bool) -> Select[Any]:
    statement = _replies() if of_replies else _topics()
    if in_topic:
        statement = statement.where(Topic.id == bindparam("topic_id"))
    return paged(statement)


def topics_of(db: Reader, user_id: int, page: Page, topic_id: int | None) -> Sequence[int]:
    """Return a page of the topics that the user likes. topic_id: only this one, where given."""
    return _ids(db, False, user_id, page, topic_id)


def replies_of(db: Reader, user_id: int, page: Page, topic_id: int | None) -> Sequence[int]:
    """Return a page of the replies that the user likes. topic_id: only of this topic, if given."""
    return _ids(db, True, user_id, page, topic_id)


def _ids(
    db: Reader, of_replies: bool, user_id: int, page: Page, topic_id: int | None
) -> Sequence[int]:
    values: dict[str, Any] = {"user_id": user_id, **page.values}
    if topic_id is not None:
        values["topic_id"] = topic_id
    found = rows(db, _page(of_replies, topic_id is not None), values)
    return [each[0] for each in found]
