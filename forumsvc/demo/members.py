"""The users of the demo: when they join, how active they are, and their roles."""

import random
from array import array
from bisect import bisect_right

from ..models import Role, UserState
from .rng import ZipfSampler, stream
from .timeline import Timeline

_WELL_KNOWN = 300
"""How many of the most active users are mentioned by others."""

_DEMO_RANK = 3


class Members:
    """The users, numbered from 0 in the order in which they joined.

    Number 0 is the demo user, an active member; number 1 is the admin; a few maintainers follow.
    joined: when each joined (`q`), ascending; ranks: the numbers of the users, most active first.
    """

    def __init__(self, count: int, seed: int, timeline: Timeline) -> None:
        rng = stream(seed, "members")
        self.count = count
        self.maintainers = range(2, min(count, 4 + count // 1000))
        self.joined = timeline.spread(count, rng)
        for founder in range(min(count, 2 + len(self.maintainers))):
            self.joined[founder] = founder
        self.ranks = array("I", range(1, count))
        rng.shuffle(self.ranks)
        self.ranks.insert(min(_DEMO_RANK, count - 1), 0)
        self._well_known = bytearray(count)
        for user in self.ranks[:_WELL_KNOWN]:
            self._well_known[user] = 1

    def role(self, user: int) -> Role:
        """Return the role of a user."""
        if user == 1:
            return Role.ADMIN
        if user in self.maintainers:
            return Role.MAINTAINER
        return Role.VIP if user % 40 == 7 else Role.MEMBER

    def state(self, user: int) -> UserState:
        """Return whether the user is blocked; none is deleted."""
        if user % 90 == 31 and user not in self.maintainers:
            return UserState.BLOCKED
        return UserState.ACTIVE

    def moderator(self, post: int) -> int:
        """Return who moderated the given topic: a maintainer, or else the admin."""
        return self.maintainers[post % len(self.maintainers)] if self.maintainers else 1

    def is_well_known(self, user: int) -> bool:
        """Return whether others mention the user."""
        return bool(self._well_known[user])


class UserSampler:
    """Samples users by their activity: few write much, many write little.

    shift: see `ZipfSampler`; the larger, the more even.
    """

    def __init__(self, members: Members, rng: random.Random, shift: float = 4.0) -> None:
        self._ranks = members.ranks
        self._joined = members.joined
        self._draw = ZipfSampler(members.count, rng, shift).draw

    def any_user(self) -> int:
        """Return a user, whenever they joined."""
        return self._ranks[self._draw()]

    def user_at(self, ms: int) -> int:
        """Return a user who had joined at `ms`."""
        user = self._ranks[self._draw()]
        if self._joined[user] > ms:
            return user % bisect_right(self._joined, ms)
        return user

    def users_except(self, count: int, ms: int, but: int) -> list[int]:
        """Return up to `count` different users who had joined at `ms`, without the user `but`."""
        found: dict[int, None] = {}
        for _ in range(count):
            user = self.user_at(ms)
            if user != but:
                found[user] = None
        return list(found)
