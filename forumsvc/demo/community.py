"""A small community that writes through the services, so every rule of the forum holds.

Its clock is moved on: each call gets a time later than that of the call before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..cache.invalidation import update_without_invalidation
from ..models import Notification, Topic, UserFollow
from ..queries import replies as reply_queries
from ..queries import topics as topic_queries
from ..services import relations, replies, topics
from ..services.content.authoring import Authoring
from ..services.notifications import inbox
from . import texts
from .language import Theme
from .members import Members
from .rng import stream, zipf

_GROWTH = 0.6
"""Below 1: the density of posts increases with time."""

_RECENT = 25.0
"""The larger, the more evenly replies spread over old and new topics."""


@dataclass(frozen=True)
class DemoTopic:
    """A topic. author: the number of a member; theme: index into the themes; subject: of them."""

    id: int
    author: int
    theme: int
    subject: str


@dataclass(frozen=True)
class DemoReply:
    """A reply. author: the number of a member."""

    id: int
    author: int


class Community:
    """Makes topics and replies, and what their readers do with them.

    node_ids: of the nodes of the themes.
    """

    def __init__(
        self,
        db: Session,
        authoring: Authoring,
        members: Members,
        themes: Sequence[Theme],
        node_ids: Sequence[int],
        seed: int,
    ) -> None:
        self._db = db
        self._authoring = authoring
        self._members = members
        self._themes = themes
        self._node_ids = node_ids
        self._rng = stream(seed, "community")
        self._theme_bounds = list(accumulate(theme.weight for theme in themes))
        self._topics: list[DemoTopic] = []
        self._replies: list[DemoReply] = []
        # A topic once for itself and once for each reply: what is popular gets more popular.
        self._popular: list[DemoTopic] = []
        self._pairs: set[tuple[str, int, int]] = set()

    def write(
        self,
        topic_count: int,
        reply_count: int,
        start: datetime,
        end: datetime,
        done: Callable[[int], None],
    ) -> None:
        """Write as many topics and replies between `start` and `end`.

        done: called with the number of posts after each.
        """
        rng, count = self._rng, topic_count + reply_count
        follows = select(UserFollow.user_id, UserFollow.target_id)
        self._pairs = {("follow", *pair) for pair in self._db.execute(follows)}
        is_topic = [True] * topic_count + [False] * reply_count
        rng.shuffle(is_topic)
        if topic_count:
            is_topic.remove(True)
            is_topic.insert(0, True)
        length = end - start - timedelta(hours=1)
        for number, new_topic in enumerate(is_topic):
            moment, following = (
                start + length * ((number + step) / count) ** _GROWTH for step in (0.3, 1)
            )
            moment = moment.replace(microsecond=0)
            self._read_notifications(moment)
            if new_topic:
                self._write_topic(moment)
            else:
                self._write_reply(moment)
            self._react(moment, (following - moment) / 20)
            done(number + 1)
        if self._topics:
            self._moderate(end - timedelta(minutes=30))
            self._set_hits()

    def _write_topic(self, moment: datetime) -> None:
        rng, author = self._rng, self._members.draw(moment)
        at = rng.choices(range(len(self._themes)), cum_weights=self._theme_bounds)[0]
        theme = self._themes[at]
        subject = rng.choice(theme.subjects)
        title = texts.title(theme, rng, subject)
        body = texts.topic(theme, rng, subject, self._mentioned(author, moment, 0.05))
        author_id = self._members.ids[author]
        # Some begin in a wrong node, from where a maintainer moves them.
        is_misplaced = len(self._topics) % 53 == 5
        node_ids = [self._node_ids[at - 1], self._node_ids[at]][not is_misplaced :]
        rendered = self._authoring.render(author_id, body, title=title)
        created = topics.create(
            *(self._db, author_id, moment, self._authoring),
            title=title,
            node_id=node_ids[0],
            body=rendered,
        )
        if is_misplaced:
            self._move(created.id, title, body, node_ids[1], moment + timedelta(milliseconds=500))
        made = DemoTopic(created.id, author, at, subject)
        self._topics.append(made)
        if len(self._topics) % 5 != 4:  # a fifth of the topics stays without a reply
            self._popular.append(made)

    def _move(self, topic_id: int, title: str, body: str, node_id: int, moment: datetime) -> None:
        actor_id = self._members.moderator_id
        rendered = self._authoring.render(actor_id, body)
        topics.edit(
            *(self._db, actor_id, moment, self._authoring, self._locked(topic_id)),
            title=title,
            node_id=node_id,
            body=rendered,
        )

    def _write_reply(self, moment: datetime) -> None:
        author, topic = self._members.draw(moment), self._popular_topic()
        mentioned = self._mentioned(author, moment, 0.15, topic.author)
        body = texts.reply(self._themes[topic.theme], self._rng, topic.subject, mentioned)
        author_id = self._members.ids[author]
        rendered = self._authoring.render(author_id, body)
        locked = self._locked(topic.id)
        created = replies.create(self._db, author_id, moment, self._authoring, locked, rendered)
        self._replies.append(DemoReply(created.id, author))
        self._popular.append(topic)
        later = moment + timedelta(milliseconds=500)
        if len(self._replies) % 83 == 41:
            replies.destroy(self._db, author_id, later, self._locked_reply(created.id))
        elif len(self._replies) % 30 == 8:
            edited = self._authoring.render(author_id, f"{body}\n\n*Edit:* typo.")
            found = self._locked_reply(created.id)
            replies.edit(self._db, author_id, later, self._authoring, found, edited)

    def _react(self, moment: datetime, step: timedelta) -> None:
        """Like, follow and block: up to twenty events, `step` apart."""
        rng, members = self._rng, self._members
        for chance, react in (
            *((0.9, self._like_topic), (0.5, self._like_topic), (0.4, self._like_topic)),
            *((0.5, self._like_reply), (0.3, self._like_reply)),
            *((0.4, self._follow_topic), (0.3, self._favorite)),
            *((0.3, self._follow_user), (0.02, self._block_user)),
        ):
            moment = (moment + step).replace(microsecond=0)
            if rng.random() < chance:
                react(members.draw(moment), moment)

    def _like_topic(self, user: int, moment: datetime) -> None:
        topic = self._popular_topic()
        if topic.author != user and self._is_new("like", user, topic.id):
            relations.like_topic(self._db, self._members.ids[user], moment, topic.id)

    def _like_reply(self, user: int, moment: datetime) -> None:
        if not self._replies:
            return
        reply = self._replies[-1 - zipf(self._rng, len(self._replies), _RECENT)]
        if reply.author != user and self._is_new("like reply", user, reply.id):
            relations.like_reply(self._db, self._members.ids[user], moment, reply.id)

    def _follow_topic(self, user: int, moment: datetime) -> None:
        topic = self._popular_topic()
        if self._is_new("follow topic", user, topic.id):
            relations.follow_topic(self._db, self._members.ids[user], moment, topic.id)

    def _favorite(self, user: int, moment: datetime) -> None:
        topic = self._popular_topic()
        if self._is_new("favorite", user, topic.id):
            found = self._locked(topic.id)
            relations.favorite(self._db, self._members.ids[user], moment, found)

    def _follow_user(self, user: int, moment: datetime) -> None:
        user_id, target_id = (self._members.ids[one] for one in (user, self._members.draw(moment)))
        if user_id != target_id and self._is_new("follow", user_id, target_id):
            relations.follow_user(self._db, user_id, moment, target_id)

    def _block_user(self, user: int, moment: datetime) -> None:
        target = self._members.draw(moment)
        # The demo user, number 0, sees the posts of everybody.
        if user not in (0, target) and self._is_new("block", user, target):
            ids = self._members.ids
            relations.block_user(self._db, ids[user], moment, ids[target])

    def _is_new(self, relation: str, user: int, target: int) -> bool:
        """Return whether a pair is new, and remember it.

        PostgreSQL spends an id on a row that is there already, and SQLite does not.
        """
        before = len(self._pairs)
        self._pairs.add((relation, user, target))
        return len(self._pairs) > before

    def _popular_topic(self) -> DemoTopic:
        """Return a topic; more often a new one, and one with many replies."""
        if not self._popular:
            return self._topics[0]
        return self._popular[-1 - zipf(self._rng, len(self._popular), _RECENT)]

    def _mentioned(
        self, author: int, moment: datetime, chance: float, asker: int | None = None
    ) -> str | None:
        """Return the login of a user to mention, other than the author, or None."""
        if self._rng.random() >= chance:
            return None
        user = self._members.draw(moment) if asker is None else asker
        return None if user == author else self._members.logins[user]

    def _read_notifications(self, moment: datetime) -> None:
        """Let an active user read what they were notified about, now and then."""
        user_id = self._members.ids[self._members.draw(moment)]
        if self._rng.random() < 0.2:
            mine = Notification.user_id == user_id, Notification.read_at.is_(None)
            unread = self._db.scalars(select(Notification.id).where(*mine)).all()
            inbox.mark_read(self._db, user_id, moment, unread)

    def _moderate(self, moment: datetime) -> None:
        """Feature, close, ban and delete some topics: regularly, so that few topics have each."""
        for number, topic in enumerate(self._topics):
            if number % 61 == 17:
                topics.feature(self._db, self._members.moderator_id, moment, self._locked(topic.id))
            if number % 47 == 11:
                topics.close(self._db, self._members.moderator_id, moment, self._locked(topic.id))
            if number % 211 == 50:
                topics.ban(self._db, self._members.moderator_id, moment, self._locked(topic.id))
            if number % 127 == 30:
                topics.destroy(self._db, self._members.moderator_id, moment, self._locked(topic.id))

    def _locked(self, topic_id: int) -> Any:
        return topic_queries.by_id(self._db, topic_id, lock=True)

    def _locked_reply(self, reply_id: int) -> Any:
        return reply_queries.by_id(self._db, reply_id, lock=True)

    def _set_hits(self) -> None:
        views = 5 + 12 * Topic.replies_count + 4 * Topic.likes_count + Topic.id % 17
        ids = [topic.id for topic in self._topics]
        made = update_without_invalidation(Topic).where(Topic.id.in_(ids))
        self._db.execute(made.values(hits=views))
