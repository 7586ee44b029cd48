"""The rows of topics and replies."""

import random
from collections.abc import Iterator, Sequence
from datetime import datetime

from ..models import Reply, Topic, User
from .community import Community
from .rng import stream
from .rows import Given, Row, Table
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


class Posts:
    """Makes the rows of topics and replies.

    logins: of the users, by number; node_ids: of the nodes, by their index in `NODES`.
    """

    def __init__(
        self,
        plan: Community,
        texts: Texts,
        given: Given,
        logins: Sequence[str],
        node_ids: Sequence[int],
    ) -> None:
        self._plan = plan
        self._texts = texts
        self._version = given.markup_version
        self._logins = logins
        self._node_ids = node_ids
        self._user_id = given.after(User) + 1
        self._topic_id = given.after(Topic) + 1
        self._reply_id = given.after(Reply) + 1

    def topics(self) -> Table:
        """Return the topics. The likes of topics must have been taken from the plan."""
        return Table(Topic, _TOPIC_COLUMNS, self._topics(), self._plan.topics.count)

    def replies(self) -> Table:
        """Return the replies. The likes of replies must have been taken from the plan."""
        return Table(Reply, _REPLY_COLUMNS, self._replies(), self._plan.replies.count)

    def _topics(self) -> Iterator[Row]:
        rng = stream(self._plan.seed, "topic rows")
        return (self._topic(topic, rng) for topic in range(self._plan.topics.count))

    def _topic(self, topic: int, rng: random.Random) -> Row:
        topics, moment = self._plan.topics, self._plan.timeline.moment
        node, subject = topics.node[topic], topics.subject[topic]
        title = self._texts.title(node, subject, rng)
        text = self._texts.topic(node, subject, rng.random(), self._login(topics.mentioned[topic]))
        author = self._user_id + topics.author[topic]
        created = moment(topics.created[topic])
        moved = topics.moved(topic)
        closed = self._ended(topic, "closed", rng)
        moderator = self._user_id + self._plan.members.moderator(topic)
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
            self._ended(topic, "excellent", rng),
            closed,
            None if closed is None else (author, moderator)[topic % 2],
            self._ended(topic, "banned", rng),
            self._ended(topic, "deleted", rng),
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

    def _ended(self, topic: int, state: str, rng: random.Random) -> datetime | None:
        """Return when the topic came into a state, after its last reply, or None."""
        if not self._plan.topics.is_in(state, topic):
            return None
        last, end = self._plan.topics.last_active(topic), self._plan.timeline.end
        return self._plan.timeline.moment(last + int(min(_DAY, end - last) * rng.random()))

    def _replies(self) -> Iterator[Row]:
        plan, replies, topics = self._plan, self._plan.replies, self._plan.topics
        chance = stream(plan.seed, "reply rows").random
        moment, end, write = plan.timeline.moment, plan.timeline.end, self._texts.reply
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
            # One in thirty was edited soon after, and a deleted one was deleted then.
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
