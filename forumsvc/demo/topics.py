"""The topics of the demo: author, time, node and state."""

from array import array
from bisect import bisect_right
from itertools import accumulate

from .members import Members, UserSampler
from .nodes import NODES
from .rng import stream
from .timeline import Timeline

MODERATED = {"closed": (47, 11), "excellent": (61, 17), "banned": (211, 50), "deleted": (127, 30)}
"""State → (n, k): every n-th topic is in it, the first at index k. Regular and not random, so that
a community of a few hundred topics has some of each.
"""


class Topics:
    """The topics, numbered from 0 in the order of time; every attribute is an array over them.

    author: the number of a user; node, subject: indexes into `NODES` and the node's subjects;
    created: its time; mentioned: the number of a user + 1, or 0.
    `Replies` and `Relations` set the others: replies, others_replies (those by others than the
    author), last_replier (number + 1, or 0), replied (its time); likes; they count visible ones.
    """

    def __init__(self, count: int, seed: int, timeline: Timeline, members: Members) -> None:
        rng = stream(seed, "topics")
        sampler = UserSampler(members, rng)
        self.count = count
        self.created = timeline.spread(count, rng)
        self.author = array("I", bytes(4 * count))
        self.mentioned = array("I", bytes(4 * count))
        self.node = array("B", bytes(count))
        self.subject = array("B", bytes(count))
        bounds = list(accumulate(theme.weight for theme in NODES))
        for topic, created in enumerate(self.created):
            author = sampler.user_at(created)
            node = bisect_right(bounds, rng.random() * bounds[-1])
            self.author[topic] = author
            self.node[topic] = node
            self.subject[topic] = int(rng.random() * len(NODES[node].subjects))
            if rng.random() < 0.05:
                self.mentioned[topic] = _choose_mentioned(sampler, members, author, created) + 1
        self.replies = array("I", bytes(4 * count))
        self.others_replies = array("I", bytes(4 * count))
        self.last_replier = array("I", bytes(4 * count))
        self.replied = array("q", bytes(8 * count))
        self.likes = array("I", bytes(4 * count))

    @staticmethod
    def is_in(state: str, topic: int) -> bool:
        """Return whether a topic is in a state of `MODERATED` at the end of the demo's time."""
        every, first = MODERATED[state]
        return topic % every == first

    @classmethod
    def is_visible(cls, topic: int) -> bool:
        """Return whether everyone sees the topic."""
        return not cls.is_in("banned", topic) and not cls.is_in("deleted", topic)

    def moved(self, topic: int) -> int | None:
        """Return when a maintainer moved the topic to its current node, or None."""
        return self.created[topic] + 1_800_000 if topic % 53 == 5 else None

    def last_active(self, topic: int) -> int:
        """Return the time of the last reply, or of the topic if there is none."""
        return self.replied[topic] if self.last_replier[topic] else self.created[topic]


def _choose_mentioned(sampler: UserSampler, members: Members, author: int, ms: int) -> int:
    """Return a well-known user other than `author`, or -1."""
    user = sampler.user_at(ms)
    return user if user != author and members.is_well_known(user) else -1
