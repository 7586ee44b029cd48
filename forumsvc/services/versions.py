"""The versions of topics, by which pages of a topic and its replies are known to be true still.

Every UPDATE of a topic gives it another version by itself; a change of its replies alone does not.
"""

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from ..models import Reply, Topic
from ..models.change_mark import fresh_mark
from ..models.statements import change_unmarked


def renew(db: Session, topic: ColumnElement[bool]) -> None:
    """Give the topic that meets a condition another version, because a reply to it changed."""
    db.execute(change_unmarked(Topic).where(topic).values(version=fresh_mark()))


def of_reply(reply_id: int) -> ColumnElement[bool]:
    """Return the condition of a reply's topic."""
    return Topic.id == select(Reply.topic_id).where(Reply.id == reply_id).scalar_subquery()
