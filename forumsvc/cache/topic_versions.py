"""The versions of topics, by which pages of a topic and its replies are known to be true still.

Every UPDATE of a topic gives it another version by itself; a change of its replies alone does not.
"""

from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, bindparam, select
from sqlalchemy.orm import Session

from ..db.base import BigId
from ..db.statements import execute
from ..models import Reply, Topic
from ..models.cache_version import fresh_mark
from .invalidation import change_unmarked


def renew(db: Session, topic_id: int) -> None:
    """Give a topic another version, because a reply to it changed."""
    execute(db, _of_topic(), {"topic_id": topic_id, "fresh": fresh_mark()})


def renew_of_reply(db: Session, reply_id: int) -> None:
    """Give the topic of a reply another version, because the reply changed."""
    execute(db, _of_reply(), {"reply_id": reply_id, "fresh": fresh_mark()})


@cache
def _of_topic() -> Any:
    return _renewal(bindparam("topic_id", type_=BigId))


@cache
def _of_reply() -> Any:
    reply = select(Reply.topic_id).where(Reply.id == bindparam("reply_id", type_=BigId))
    return _renewal(reply.scalar_subquery())


def _renewal(topic_id: ColumnElement[int]) -> Any:
    return change_unmarked(Topic).where(Topic.id == topic_id).values(version=bindparam("fresh"))
