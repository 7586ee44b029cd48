"""Loads what events are about, as everybody can see it, in a constant number of statements."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..db.execution import ReadConnection
from ..text.ids import known_ids
from . import replies, topics, users
from .rows import EventRow, ReplyListRow, TopicListRow, UserSummaryRow


@dataclass(frozen=True, slots=True)
class EventObjects:
    """The rows that events refer to, by id: of topics and replies only those that everybody sees.

    users: actors, and whom events concern.
    """

    topics: dict[int, TopicListRow]
    replies: dict[int, ReplyListRow]
    users: dict[int, UserSummaryRow]


def load(db: ReadConnection, events: Sequence[EventRow]) -> EventObjects:
    """Return what the events refer to, as it is now."""
    found_replies = replies.by_ids(db, known_ids(event.reply_id for event in events))
    # A like names the reply alone.
    topic_ids = (reply.topic_id for reply in found_replies.values())
    found_topics = topics.by_ids(db, known_ids([*(event.topic_id for event in events), *topic_ids]))
    visible = {
        topic_id: topic
        for topic_id, topic in found_topics.items()
        if topic.deleted_at is None and topic.banned_at is None
    }
    return EventObjects(
        visible,
        {
            reply_id: reply
            for reply_id, reply in found_replies.items()
            if reply.deleted_at is None and reply.topic_id in visible
        },
        users.by_ids(
            db,
            known_ids(user_id for event in events for user_id in (event.actor_id, event.user_id)),
        ),
    )
