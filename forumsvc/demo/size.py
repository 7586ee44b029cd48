"""The size of a demo community."""

from dataclasses import dataclass

from ..errors import Invalid

USER_BITS = 20
POST_BITS = 27
"""Widths of the numbers of users and of topics or replies where they are packed into one."""


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
        for field, least, bits in (
            ("users", 2, USER_BITS),
            ("topics", 0, POST_BITS),
            ("replies", 0, POST_BITS),
        ):
            if not least <= getattr(self, field) < 2**bits:
                raise Invalid(field, f"must be a whole number from {least} to {2**bits - 1}")
        if self.replies and not self.topics:
            raise Invalid("replies", "there are none without topics")
