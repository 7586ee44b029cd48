"""The likes, follows, favorites and blocks of the demo."""

import random
from array import array
from collections.abc import Callable, Iterator

from .members import Members, UserSampler
from .replies import Replies
from .rng import long_tail, stream
from .size import POST_BITS, USER_BITS
from .timeline import Delays, TimeBuckets, Timeline
from .topics import Topics

Pair = tuple[int, int, int]
"""(time, number of the user, number of the target of the like, follow, favorite or block)."""

CountFor = Callable[[random.Random, int], int]
"""Returns how many users relate to the one with the given number, or how many it relates to."""


class RelationLog:
    """Stores pairs in sixteen bytes each."""

    def __init__(self) -> None:
        self._ms, self._user, self._target = array("q"), array("I"), array("I")

    def add(self, pair: Pair) -> None:
        self._ms.append(pair[0])
        self._user.append(pair[1])
        self._target.append(pair[2])

    def __iter__(self) -> Iterator[Pair]:
        return zip(self._ms, self._user, self._target, strict=True)

    def of(self, targets: set[int]) -> dict[int, list[tuple[int, int]]]:
        """Return the (time, user) pairs of each of these targets that has any."""
        found: dict[int, list[tuple[int, int]]] = {}
        for ms, user, target in self:
            if target in targets:
                found.setdefault(target, []).append((ms, user))
        return found


class Relations:
    """Generates the relations, one kind after another, each in the order of time.

    Targets that are not visible to everyone have none.
    following_count, followers_count, favorites_count: the counts of each user;
    user_log, topic_log: the follows of users and of topics; blocks: pairs of numbers.
    Each is correct after its kind was iterated to the end, and so are `Topics.likes` and
    `Replies.likes`.
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
        self.user_log = RelationLog()
        self.topic_log = RelationLog()
        self.blocks: set[tuple[int, int]] = set()

    def topic_likes(self) -> Iterator[Pair]:
        """Yield the likes of topics: topics with more replies have more."""

        def many(rng: random.Random, topic: int) -> int:
            return int((0.3 + 0.4 * self._topics.replies[topic] ** 0.7) * long_tail(rng, 2.0, 40.0))

        for ms, user, topic in self._of_topics("topic likes", many):
            self._topics.likes[topic] += 1
            yield ms, user, topic

    def topic_follows(self) -> Iterator[Pair]:
        """Yield the follows of topics."""
        for pair in self._of_topics(
            "topic follows", lambda rng, _: int(long_tail(rng, 1.6, 50.0) * 0.6)
        ):
            self.topic_log.add(pair)
            yield pair

    def favorites(self) -> Iterator[Pair]:
        """Yield the favorites."""
        for ms, user, topic in self._of_topics(
            "favorites", lambda rng, _: int(long_tail(rng, 1.5, 80.0) * 0.6)
        ):
            self.favorites_count[user] += 1
            yield ms, user, topic

    def reply_likes(self) -> Iterator[Pair]:
        """Yield the likes of replies: most replies have none."""
        rng = stream(self._seed, "reply likes")
        sampler = UserSampler(self._members, rng)
        after = Delays(self._timeline.end, rng).after
        buckets = _time_buckets(self._timeline)
        for reply, created in enumerate(self._replies.created):
            if rng.random() < 0.12 and self._replies.is_visible(reply):
                many = int(long_tail(rng, 1.8, 60.0))
                for user in sampler.users_except(many, created, self._replies.author[reply]):
                    buckets.add(after(created), user << POST_BITS | reply)
        for ms, user, reply in _pairs(buckets):
            self._replies.likes[reply] += 1
            yield ms, user, reply

    def user_follows(self) -> Iterator[Pair]:
        """Yield the follows of users."""
        for ms, user, target in self._of_users(
            "user follows", lambda rng, _: int(long_tail(rng, 1.15, 300.0) * 1.2)
        ):
            self.following_count[user] += 1
            self.followers_count[target] += 1
            self.user_log.add((ms, user, target))
            yield ms, user, target

    def user_blocks(self) -> Iterator[Pair]:
        """Yield the blocks of users."""
        for ms, user, target in self._of_users("user blocks", lambda rng, user: user % 23 == 9):
            self.blocks.add((user, target))
            yield ms, user, target

    def _of_topics(self, name: str, count_for: CountFor) -> Iterator[Pair]:
        rng = stream(self._seed, name)
        sampler = UserSampler(self._members, rng)
        after = Delays(self._timeline.end, rng).after
        buckets = _time_buckets(self._timeline)
        for topic, created in enumerate(self._topics.created):
            if self._topics.is_visible(topic):
                for user in sampler.users_except(
                    count_for(rng, topic), created, self._topics.author[topic]
                ):
                    buckets.add(after(created), user << POST_BITS | topic)
        return _pairs(buckets)

    def _of_users(self, name: str, count_for: CountFor) -> Iterator[Pair]:
        rng = stream(self._seed, name)
        # More even than for writing: otherwise some would have unrealistically many followers.
        sampler = UserSampler(self._members, rng, shift=4 + self._members.count**0.5 / 2)
        buckets = _time_buckets(self._timeline)
        joined, end = self._members.joined, self._timeline.end - 1000
        for user in range(self._members.count):
            targets = dict.fromkeys(sampler.any_user() for _ in range(count_for(rng, user)))
            for target in targets:
                if target != user:
                    since = max(joined[user], joined[target])
                    ms = since + 1000 + int((end - since - 1000) * rng.random())
                    buckets.add(ms, user << POST_BITS | target)
        return _pairs(buckets)


def _time_buckets(timeline: Timeline) -> TimeBuckets:
    return TimeBuckets(timeline.end, 1000, USER_BITS + POST_BITS)


def _pairs(buckets: TimeBuckets) -> Iterator[Pair]:
    mask = (1 << POST_BITS) - 1
    for ms, packed in buckets.drain():
        yield ms, packed >> POST_BITS, packed & mask
