"""The notifications of the demo's users: those of the last part of its time.

Earlier ones count as read and deleted. The rules are those of the service: an event notifies a user
at most once, and nobody of their own actions or of the actions of a user whom they block.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from heapq import merge
from operator import itemgetter
from typing import NamedTuple

from ..models import MentionType, NotificationType
from .members import Members
from .relations import Relations
from .replies import Replies
from .rng import stream
from .timeline import Timeline
from .topics import Topics

_MIN_POSTS, _ONE_IN, _MAX_POSTS = 500, 25, 20_000
"""Of so many posts at least, of one in so many, and of so many at most there are notifications."""

_time = itemgetter(0)


class Event(NamedTuple):
    """An event that notifies a user. Users and posts by their numbers, times in milliseconds."""

    ms: int
    user: int
    actor: int
    type: NotificationType
    mention_type: MentionType | None = None
    topic: int | None = None
    reply: int | None = None
    node: int | None = None


class DemoNotification(NamedTuple):
    """An event, and when the user read its notification, or None."""

    event: Event
    read: int | None


class Notifications:
    """Generates the notifications. unread: the count of each user, correct after the last one."""

    def __init__(
        self,
        seed: int,
        timeline: Timeline,
        members: Members,
        topics: Topics,
        replies: Replies,
        relations: Relations,
    ) -> None:
        self._rng = stream(seed, "notices")
        self._end = timeline.end
        self._members = members
        self._topics = topics
        self._replies = replies
        self._relations = relations
        self._since = max(_recent(topics.created), _recent(replies.created))
        self.unread = array("I", bytes(4 * members.count))

    def generate(self) -> Iterator[DemoNotification]:
        """Yield the notifications in the order of time. Iterate the relations before."""
        random = self._rng.random
        sources = (self._of_topics(), self._of_replies(), self._of_follows(), self._of_moves())
        half = (self._since + self._end) // 2
        for event in merge(*sources, key=_time):
            if (event.user, event.actor) in self._relations.blocks or event.user == event.actor:
                continue
            read = None
            if random() < (0.85 if event.ms < half else 0.35):
                read = event.ms + int((self._end - event.ms) * random())
            else:
                self.unread[event.user] += 1
            yield DemoNotification(event, read)

    def _of_topics(self) -> Iterator[Event]:
        topics = self._topics
        recent = range(bisect_left(topics.created, self._since), topics.count)
        followers = self._relations.user_log.of({topics.author[topic] for topic in recent})
        for topic in recent:
            if not topics.is_visible(topic):
                continue
            ms, author = topics.created[topic], topics.author[topic]
            mentioned = topics.mentioned[topic] - 1
            if mentioned >= 0:
                kind = NotificationType.MENTION
                yield Event(ms, mentioned, author, kind, MentionType.TOPIC, topic)
            for since, user in followers.get(author, ()):
                if since < ms and user != mentioned:
                    yield Event(ms, user, author, NotificationType.TOPIC, topic=topic)

    def _of_replies(self) -> Iterator[Event]:
        topics, replies = self._topics, self._replies
        recent = range(bisect_left(replies.created, self._since), replies.count)
        followers = self._relations.topic_log.of({replies.topic[reply] for reply in recent})
        for reply in recent:
            if not replies.is_visible(reply):
                continue
            ms, actor, topic = replies.created[reply], replies.author[reply], replies.topic[reply]
            mentioned = replies.mentioned[reply] - 1
            if mentioned >= 0:
                kind = NotificationType.MENTION
                yield Event(ms, mentioned, actor, kind, MentionType.REPLY, topic, reply)
            recipients = {topics.author[topic]: None}
            recipients.update(
                (user, None) for since, user in followers.get(topic, ()) if since < ms
            )
            recipients.pop(mentioned, None)
            for user in recipients:
                kind = NotificationType.TOPIC_REPLY
                yield Event(ms, user, actor, kind, topic=topic, reply=reply)

    def _of_follows(self) -> Iterator[Event]:
        for ms, user, target in self._relations.user_log:
            if ms >= self._since:
                yield Event(ms, target, user, NotificationType.FOLLOW)

    def _of_moves(self) -> Iterator[Event]:
        topics = self._topics
        for topic in range(bisect_left(topics.created, self._since), topics.count):
            ms = topics.moved(topic)
            if ms is not None and topics.is_visible(topic):
                yield Event(
                    ms,
                    topics.author[topic],
                    self._members.moderator(topic),
                    NotificationType.NODE_CHANGED,
                    topic=topic,
                    node=topics.node[topic],
                )


def _recent(times: "array[int]") -> int:
    """Return the time from which posts written at `times` still have their notifications."""
    many = max(_MIN_POSTS, min(_MAX_POSTS, len(times) // _ONE_IN))
    return times[-many] if many < len(times) else 0
