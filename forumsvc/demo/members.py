"""The users of the demo: when they join, how active they are, and their roles."""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime
from random import Random
from typing import Any

from ..models import Role, UserState
from ..search.normal_form import name_key
from .people import Person
from .rng import zipf

FOUNDERS = 2
"""The users who are there from the beginning: the demo user and the admin."""

_SHIFT = 4.0
_DEMO_RANK = 3


class Members:
    """The most active users, numbered from 0 in the order in which they joined.

    Number 0 is the demo user, an active member; number 1 is the admin; a maintainer or two follow.
    ids, logins: of the users in the database; joined: when each joined, ascending.
    """

    def __init__(
        self, ids: list[int], logins: list[str], joined: list[datetime], rng: Random
    ) -> None:
        self.ids = ids
        self.logins = logins
        self._joined = joined
        self._rng = rng
        self._ranks = list(range(1, len(ids)))
        rng.shuffle(self._ranks)
        self._ranks.insert(min(_DEMO_RANK, len(ids) - 1), 0)

    def draw(self, moment: datetime) -> int:
        """Return the number of an active user who had joined at `moment`.

        A few are drawn often, most are drawn seldom.
        """
        number = self._ranks[zipf(self._rng, len(self.ids), _SHIFT)]
        joined = bisect_right(self._joined, moment)
        number = number if number < joined else number % joined
        return number if state_of(number) is UserState.ACTIVE else 0

    @property
    def moderator_id(self) -> int:
        """The id of a maintainer, or else of the admin."""
        return self.ids[min(FOUNDERS, len(self.ids) - 1)]


def joining_times(count: int, start: datetime, end: datetime) -> list[datetime]:
    """Return when each user joins: the founders at the start, the others evenly until the end."""
    step = (end - start) / max(1, count - FOUNDERS)
    return [start + max(0, number - FOUNDERS) * step for number in range(count)]


def role_of(number: int, count: int) -> Role:
    """Return the role of the user with this number, of `count` users."""
    if number == 1:
        return Role.ADMIN
    if FOUNDERS <= number < min(count, 4 + count // 1000):
        return Role.MAINTAINER
    return Role.VIP if number % 40 == 7 else Role.MEMBER


def state_of(number: int) -> UserState:
    """Return the state of the user with this number: a few are blocked."""
    return UserState.BLOCKED if number % 90 == 31 else UserState.ACTIVE


def user_rows(
    persons: Iterable[Person], first_id: int, joined: list[datetime], password_hash: str | None
) -> list[dict[str, Any]]:
    """Return the rows of the users. password_hash: of each, None if nobody may log in."""
    return [
        {
            **person,
            "name_key": name_key(person["name"]),
            "id": first_id + number,
            "password_hash": password_hash,
            "role": role_of(number, len(joined)),
            "state": state_of(number),
            "email_confirmed_at": joined[number],
            "created_at": joined[number],
            "updated_at": joined[number],
        }
        for number, person in enumerate(persons)
    ]
