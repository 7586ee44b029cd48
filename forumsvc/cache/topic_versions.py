"""Changes the version of a topic, under which the pages of the topic and its replies are cached.

An UPDATE of a topic changes its version by itself (`onupdate`); a change of its replies does not.
"""

from typing import Any

from sqlalchemy import ColumnElement, bindparam, select
from sqlalchemy.orm import Session

from ..db.base import BigId
from ..db.statements import execute
from ..models import Reply, Topic
from ..models.cache_version import random_version
from .invalidation import update_without_invalidation


def _bump_statement(topic_id: ColumnElement[int]) -> Any:
    statement = update_without_invalidation(Topic).where(Topic.id == topic_id)
    return statement.values(version=bindparam("new_version"))


_BY_TOPIC: Any = _bump_statement(bindparam("topic_id", type_=BigId))
_BY_REPLY: Any = _bump_statement(
    select(Reply.topic_id).where(Reply.id == bindparam("reply_id", type_=BigId)).scalar_subquery()
)


def bump(db: Session, topic_id: int) -> None:
    """Give a topic another version, because one of its replies changed."""
    execute(db, _BY_TOPIC, {"topic_id": topic_id, "new_version": random_version()})


def bump_for_reply(db: Session, reply_id: int) -> None:
    """Give the topic of a reply another version, because the reply changed."""
    execute(db, _BY_REPLY, {"reply_id": reply_id, "new_version": random_version()})
