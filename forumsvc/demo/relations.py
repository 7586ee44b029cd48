"""Who likes, follows, keeps and blocks what."""

import random
from array import array
from collections.abc import Callable, Iterator

from .members import Crowd, Members
from .replies import Replies
from .rng import long_tail, stream
from .size import POST_BITS, USER_BITS
from .timeline import Calendar, Delays, Timeline
from .topics import Topics

Pair = tuple[int, int, int]
"""(time, number of the user, number of what he likes or follows)."""

Many = Callable[[random.Random, int], int]
"""How many users like or follow the one with the given number, or how many it follows."""


class Log:
    """Pairs, kept in sixteen bytes each."""

    def __init__(self) -> None:
        self._ms, self._user, self._target = array("q"), array("I"), array("I")

    def add(self, pair: Pair) -> None:
        """Keep a pair."""
        self._ms.append(pair[0])
        self._user.append(pair[1])
        self._target.append(pair[2])

    def __iter__(self) -> Iterator[Pair]:
        return zip(self._ms, self._user, self._target, strict=True)

    def of(self, targets: set[int]) -> dict[int, list[tuple[int, int]]]:
        """Return for those of the targets that have any their (time, user)s."""
        found: dict[int, list[tuple[int, int]]] = {}
        for ms, user, target in self:
            if target in targets:
                found.setdefault(target, []).append((ms, user))
        return found


class Relations:
    """Makes up the relations, one sort after the other, each in the order of time.

    Nobody has one to what not everyone sees.
    following_count, followers_count, favorites_count: how many each user has;
    user_log, topic_log: the follows of users and of topics; blocks: pairs of numbers.
    All are right once the sort that counts them was taken to its end, as `Topics.likes` and
    `Replies.likes` are.
    """

    def __init__(
        self, seed: int, timeline: Timeline, members: Members, topics: Topics, replies: Replies
    ) -> None:
        self._seed = seed
        self._timeline = timeline
        self._members = members
        self._topics = topics
        self._replies = replies
        self.following_count = array("I", bytes(4 * members.count))
        self.followers_count = array("I", bytes(4 * members.count))
        self.favorites_count = array("I", bytes(4 * members.count))
        self.user_log = Log()
        self.topic_log = Log()
        self.blocks: set[tuple[int, int]] = set()

    def topic_likes(self) -> Iterator[Pair]:
        """Yield who likes a topic: the more, the more was replied."""

        def many(rng: random.Random, topic: int) -> int:
            return int((0.3 + 0.4 * self._topics.replies[topic] ** 0.7) * long_tail(rng, 2.0, 40.0))

        for ms, user, topic in self._of_topics("topic likes", many):
            self._topics.likes[topic] += 1
            yield ms, user, topic

    def topic_follows(self) -> Iterator[Pair]:
        """Yield who follows a topic."""
        for pair in self._of_topics(
            "topic follows", lambda rng, _: int(long_tail(rng, 1.6, 50.0) * 0.6)
        ):
            self.topic_log.add(pair)
            yield pair

    def favorites(self) -> Iterator[Pair]:
        """Yield who keeps a topic."""
        for ms, user, topic in self._of_topics(
            "favorites", lambda rng, _: int(long_tail(rng, 1.5, 80.0) * 0.6)
        ):
            self.favorites_count[user] += 1
            yield ms, user, topic

    def reply_likes(self) -> Iterator[Pair]:
        """Yield who likes a reply: most are liked by nobody."""
        rng = stream(self._seed, "reply likes")
        crowd = Crowd(self._members, rng)
        after = Delays(self._timeline.end, rng).after
        calendar = _calendar(self._timeline)
        for reply, created in enumerate(self._replies.created):
            if rng.random() < 0.12 and self._replies.is_visible(reply):
                many = int(long_tail(rng, 1.8, 60.0))
                for user in crowd.others(many, created, self._replies.author[reply]):
                    calendar.add(after(created), user << POST_BITS | reply)
        for ms, user, reply in _pairs(calendar):
            self._replies.likes[reply] += 1
            yield ms, user, reply

    def user_follows(self) -> Iterator[Pair]:
        """Yield who follows whom."""
        for ms, user, target in self._of_users(
            "user follows", lambda rng, _: int(long_tail(rng, 1.15, 300.0) * 1.2)
        ):
            self.following_count[user] += 1
            self.followers_count[target] += 1
            self.user_log.add((ms, user, target))
            yield ms, user, target

    def user_blocks(self) -> Iterator[Pair]:
        """Yield who blocks whom."""
        for ms, user, target in self._of_users("user blocks", lambda rng, user: user % 23 == 9):
            self.blocks.add((user, target))
            yield ms, user, target

    def _of_topics(self, name: str, many: Many) -> Iterator[Pair]:
        rng = stream(self._seed, name)
        crowd = Crowd(self._members, rng)
        after = Delays(self._timeline.end, rng).after
        calendar = _calendar(self._timeline)
        for topic, created in enumerate(self._topics.created):
            if self._topics.is_visible(topic):
                for user in crowd.others(many(rng, topic), created, self._topics.author[topic]):
                    calendar.add(after(created), user << POST_BITS | topic)
        return _pairs(calendar)

    def _of_users(self, name: str, many: Many) -> Iterator[Pair]:
        rng = stream(self._seed, name)
        # More evenly than they write: else some had more followers than any community has.
        crowd = Crowd(self._members, rng, shift=4 + self._members.count**0.5 / 2)
        calendar = _calendar(self._timeline)
        joined, end = self._members.joined, self._timeline.end - 1000
        for user in range(self._members.count):
            targets = dict.fromkeys(crowd.anyone() for _ in range(many(rng, user)))
            for target in targets:
                if target != user:
                    since = max(joined[user], joined[target])
                    ms = since + 1000 + int((end - since - 1000) * rng.random())
                    calendar.add(ms, user << POST_BITS | target)
        return _pairs(calendar)


def _calendar(timeline: Timeline) -> Calendar:
    return Calendar(timeline.end, 1000, USER_BITS + POST_BITS)


def _pairs(calendar: Calendar) -> Iterator[Pair]:
    mask = (1 << POST_BITS) - 1
    for ms, packed in calendar.take():
        yield ms, packed >> POST_BITS, packed & mask
