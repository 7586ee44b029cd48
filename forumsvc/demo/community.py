"""A whole demo community: all of its numbers, without any text."""

from collections.abc import Callable
from datetime import datetime

from .members import Members
from .notifications import Notifications
from .relations import Relations
from .replies import Replies
from .size import Size
from .timeline import LATEST, Timeline
from .topics import Topics


class Community:
    """The plan of a demo, the same for the same size, seed and end.

    until: the end of its time, aware; step: called with the name of the next step.
    Needs about 40 bytes for a reply and 50 for a topic. Relations and notifications are generated
    while they are iterated, so each may be iterated only once, the notifications last.
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
        parts = (seed, self.timeline, self.members, self.topics, self.replies)
        self.relations = Relations(*parts)
        self.notifications = Notifications(*parts, self.relations)
