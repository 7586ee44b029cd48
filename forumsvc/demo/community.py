"""A whole demo community: every number of it, and no text yet."""

from collections.abc import Callable
from datetime import datetime

from .members import Members
from .notifications import Notices
from .relations import Relations
from .replies import Replies
from .size import Size
from .timeline import LATEST, Timeline
from .topics import Topics


class Community:
    """The plan of a demo, the same for the same size, seed and end.

    until: when its time ends, aware; step: called with a word for what comes next.
    Takes about 40 bytes a reply and 50 a topic. Relations and notices make up what they yield as
    it is taken, so each is to be taken once, the notices last.
    """

    def __init__(
        self,
        size: Size,
        seed: int,
        until: datetime = LATEST,
        step: Callable[[str], None] = lambda word: None,
    ) -> None:
        self.size = size
        self.seed = seed
        self.timeline = Timeline(until)
        step("members")
        self.members = Members(size.users, seed, self.timeline)
        step("topics")
        self.topics = Topics(size.topics, seed, self.timeline, self.members)
        step("replies")
        self.replies = Replies(size.replies, seed, self.timeline, self.members, self.topics)
        of = (seed, self.timeline, self.members, self.topics, self.replies)
        self.relations = Relations(*of)
        self.notices = Notices(*of, self.relations)
