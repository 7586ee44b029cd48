"""Generates the rows of topics and replies."""

import random
from collections.abc import Iterator, Sequence
from datetime import datetime

from ..models import Reply, Topic, User
from .community import Community
from .rng import stream
from .rows import ExistingRows, Row, TableRows
from .texts import Texts

_DAY = 86_400_000
_TOPIC_COLUMNS = (
    *("id", "user_id", "node_id", "title", "body", "body_html", "markup_version"),
    *("excellent_at", "closed_at", "closed_by_id", "banned_at", "deleted_at"),
    *("replies_count", "others_replies_count", "likes_count", "hits"),
    *("last_reply_user_id", "replied_at", "last_active_at", "created_at", "updated_at"),
)
_REPLY_COLUMNS = (
    *("id", "topic_id", "user_id", "body", "body_html", "markup_version"),
    *("likes_count", "deleted_at", "created_at", "updated_at"),
)


class PostRows:
    """Generates the rows of topics and replies.

    logins: of the users, by number; node_ids: of the nodes, by their index in `NODES`.
    """

    def __init__(
        self,
        community: Community,
        texts: Texts,
        existing: ExistingRows,
        logins: Sequence[str],
        node_ids: Sequence[int],
    ) -> None:
        self._community = community
        self._texts = texts
        self._version = existing.markup_version
        self._logins = logins
        self._node_ids = node_ids
        self._user_id = existing.max_id(User) + 1
        self._topic_id = existing.max_id(Topic) + 1
        self._reply_id = existing.max_id(Reply) + 1

    def topics(self) -> TableRows:
        """Return the topics. The likes of topics must have been iterated before."""
        return TableRows(Topic, _TOPIC_COLUMNS, self._topics(), self._community.topics.count)

    def replies(self) -> TableRows:
        """Return the replies. The likes of replies must have been iterated before."""
        return TableRows(Reply, _REPLY_COLUMNS, self._replies(), self._community.replies.count)

    def _topics(self) -> Iterator[Row]:
        rng = stream(self._community.seed, "topic rows")
        return (self._topic(topic, rng) for topic in range(self._community.topics.count))

    def _topic(self, topic: int, rng: random.Random) -> Row:
        topics, moment = self._community.topics, self._community.timeline.moment
        node, subject = topics.node[topic], topics.subject[topic]
        title = self._texts.title(node, subject, rng)
        text = self._texts.topic(node, subject, rng.random(), self._login(topics.mentioned[topic]))
        author = self._user_id + topics.author[topic]
        created = moment(topics.created[topic])
        moved = topics.moved(topic)
        closed = self._state_time(topic, "closed", rng)
        moderator = self._user_id + self._community.members.moderator(topic)
        replier = topics.last_replier[topic]
        replied = moment(topics.replied[topic]) if replier else None
        return (
            self._topic_id + topic,
            author,
            self._node_ids[node],
            title,
            text.body,
            text.html,
            self._version,
            self._state_time(topic, "excellent", rng),
            closed,
            None if closed is None else (author, moderator)[topic % 2],
            self._state_time(topic, "banned", rng),
            self._state_time(topic, "deleted", rng),
            topics.replies[topic],
            topics.others_replies[topic],
            topics.likes[topic],
            int((5 + 12 * topics.replies[topic] + 4 * topics.likes[topic]) * (1 + rng.random())),
            self._user_id + replier - 1 if replier else None,
            replied,
            replied or created,
            created,
            created if moved is None else moment(moved),
        )

    def _state_time(self, topic: int, state: str, rng: random.Random) -> datetime | None:
        """Return when the topic entered a state, after its last reply, or None."""
        if not self._community.topics.is_in(state, topic):
            return None
        last, end = self._community.topics.last_active(topic), self._community.timeline.end
        return self._community.timeline.moment(last + int(min(_DAY, end - last) * rng.random()))

    def _replies(self) -> Iterator[Row]:
        community, replies, topics = (
            self._community,
            self._community.replies,
            self._community.topics,
        )
        chance = stream(community.seed, "reply rows").random
        moment, end, write = community.timeline.moment, community.timeline.end, self._texts.reply
        for reply, (topic, author, ms, likes, mentioned) in enumerate(
            zip(
                *(replies.topic, replies.author, replies.created, replies.likes),
                replies.mentioned,
                strict=True,
            )
        ):
            login = self._logins[mentioned - 1] if mentioned else None
            text = write(topics.node[topic], topics.subject[topic], chance(), login)
            created = moment(ms)
            # One in thirty was edited soon after; deleted ones were deleted at that time.
            later = moment(min(end, ms + 300_000)) if reply % 30 == 7 else created
            yield (
                self._reply_id + reply,
                self._topic_id + topic,
                self._user_id + author,
                text.body,
                text.html,
                self._version,
                likes,
                moment(min(end, ms + 300_000)) if replies.is_deleted(reply) else None,
                created,
                later,
            )

    def _login(self, number: int) -> str | None:
        return self._logins[number - 1] if number else None
