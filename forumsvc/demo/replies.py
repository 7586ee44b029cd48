"""The replies of the demo: author, topic and time."""

from array import array

from .members import Members, UserSampler
from .rng import apportion, long_tail, stream
from .size import POST_BITS
from .timeline import Delays, TimeBuckets, Timeline
from .topics import Topics


class Replies:
    """The replies, numbered from 0 in the order of time; every attribute is an array over them.

    topic: the number of its topic; author: the number of a user; created: its time;
    mentioned: the number of the mentioned user + 1, or 0; likes: set by `Relations`.
    """

    def __init__(
        self, count: int, seed: int, timeline: Timeline, members: Members, topics: Topics
    ) -> None:
        """Generate the replies, and count them in `topics`."""
        self.count = count
        self.topic = array("I", bytes(4 * count))
        self.author = array("I", bytes(4 * count))
        self.created = array("q", bytes(8 * count))
        self.mentioned = array("I", bytes(4 * count))
        self.likes = array("I", bytes(4 * count))
        if count:
            self._generate(_schedule(count, seed, timeline, topics), seed, members, topics)

    def _generate(self, buckets: TimeBuckets, seed: int, members: Members, topics: Topics) -> None:
        rng = stream(seed, "replies")
        user_at = UserSampler(members, rng).user_at
        for reply, (created, topic) in enumerate(buckets.drain()):
            asker = topics.author[topic]
            before = topics.last_replier[topic] - 1
            chance = rng.random()
            author = asker if chance < 0.2 and before >= 0 else user_at(created)
            if author == before:
                author = user_at(created)
            self.topic[reply] = topic
            self.author[reply] = author
            self.created[reply] = created
            if chance > 0.8:
                addressed = before if before >= 0 and chance > 0.88 else asker
                if addressed != author and members.is_well_known(addressed):
                    self.mentioned[reply] = addressed + 1
            if not self.is_deleted(reply):
                topics.replies[topic] += 1
                topics.others_replies[topic] += author != asker
                topics.last_replier[topic] = author + 1
                topics.replied[topic] = created

    @staticmethod
    def is_deleted(reply: int) -> bool:
        """Return whether the reply is deleted."""
        return reply % 83 == 40

    def is_visible(self, reply: int) -> bool:
        """Return whether everyone sees the reply: neither it nor its topic is deleted or banned."""
        return not self.is_deleted(reply) and Topics.is_visible(self.topic[reply])


def _schedule(count: int, seed: int, timeline: Timeline, topics: Topics) -> TimeBuckets:
    """Return the topic of every reply, in the order of the replies."""
    rng = stream(seed, "schedule")
    after = Delays(timeline.end, rng).after
    buckets = TimeBuckets(timeline.end, 1, POST_BITS)
    # A fifth of the topics have no reply, half of them one to three, a few have hundreds.
    weights = array(
        "d",
        (0.0 if rng.random() < 0.2 else long_tail(rng, 1.25, 600.0) for _ in range(topics.count)),
    )
    shares = apportion(weights, count)
    for topic, share in enumerate(shares):
        created = topics.created[topic]
        for _ in range(share):
            buckets.add(after(created), topic)
    return buckets
