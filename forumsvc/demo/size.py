"""The size of a demo community."""

from dataclasses import dataclass

from ..errors import Invalid

MAX_USERS = 2**20 - 1
MAX_POSTS = 2**27 - 1
_BASE_TOPICS, _BASE_REPLIES = 200, 1000
"""The most posts that are made through the services, one by one."""


@dataclass(frozen=True)
class Size:
    """How many users, topics and replies.

    Raises `Invalid`, naming the field, for impossible numbers: there are at least two users, and
    no replies without topics.
    """

    users: int = 50
    topics: int = 200
    replies: int = 1000

    def __post_init__(self) -> None:
        limits = (("users", 2, MAX_USERS), ("topics", 0, MAX_POSTS), ("replies", 0, MAX_POSTS))
        for field, least, most in limits:
            if not least <= getattr(self, field) <= most:
                raise Invalid(field, f"must be a whole number from {least} to {most}")
        if self.replies and not self.topics:
            raise Invalid("replies", "there are none without topics")

    def base(self) -> "Size":
        """Return the part whose posts are made through the services; SQL makes the other posts.

        It has the same number of replies to a topic as the whole, as nearly as possible. The other
        part has a topic if it has a reply.
        """
        shrink = max(1.0, self.topics / _BASE_TOPICS, self.replies / _BASE_REPLIES)
        topics = int(self.topics / shrink)
        return Size(self.users, topics, int(self.replies / shrink) if topics else 0)

    def without(self, base: "Size") -> "Size":
        """Return this size with the topics and replies of `base` taken away."""
        return Size(self.users, self.topics - base.topics, self.replies - base.replies)
