"""Which replies there are: who answered where and when."""

from array import array

from .members import Crowd, Members
from .rng import apportion, long_tail, stream
from .size import POST_BITS
from .timeline import Calendar, Delays, Timeline
from .topics import Topics


class Replies:
    """The replies, numbered from 0 in the order of time; every attribute is an array over them.

    topic: the number of its topic; author: the number of a user; created: its time;
    mentioned: the number of the user it addresses + 1, or 0; likes: put in by `Relations`.
    """

    def __init__(
        self, count: int, seed: int, timeline: Timeline, members: Members, topics: Topics
    ) -> None:
        """Make up the replies, and count them in `topics`."""
        self.count = count
        self.topic = array("I", bytes(4 * count))
        self.author = array("I", bytes(4 * count))
        self.created = array("q", bytes(8 * count))
        self.mentioned = array("I", bytes(4 * count))
        self.likes = array("I", bytes(4 * count))
        if count:
            self._converse(_schedule(count, seed, timeline, topics), seed, members, topics)

    def _converse(self, calendar: Calendar, seed: int, members: Members, topics: Topics) -> None:
        rng = stream(seed, "replies")
        somebody = Crowd(members, rng).somebody
        for reply, (created, topic) in enumerate(calendar.take()):
            asker = topics.author[topic]
            before = topics.last_replier[topic] - 1
            chance = rng.random()
            author = asker if chance < 0.2 and before >= 0 else somebody(created)
            if author == before:
                author = somebody(created)
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
        """Whether the reply is left as a tombstone."""
        return reply % 83 == 40

    def is_visible(self, reply: int) -> bool:
        """Whether everyone sees the reply: it is there, and so is its topic."""
        return not self.is_deleted(reply) and Topics.is_visible(self.topic[reply])


def _schedule(count: int, seed: int, timeline: Timeline, topics: Topics) -> Calendar:
    """Return the topic of every reply, in the order of the replies."""
    rng = stream(seed, "schedule")
    after = Delays(timeline.end, rng).after
    calendar = Calendar(timeline.end, 1, POST_BITS)
    # A fifth of the topics gets no reply, half of them one to three, a few get hundreds.
    weights = array(
        "d",
        (0.0 if rng.random() < 0.2 else long_tail(rng, 1.25, 600.0) for _ in range(topics.count)),
    )
    shares = apportion(weights, count)
    for topic, share in enumerate(shares):
        created = topics.created[topic]
        for _ in range(share):
            calendar.add(after(created), topic)
    return calendar
