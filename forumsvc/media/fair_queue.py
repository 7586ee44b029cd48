"""A short queue that one user cannot fill while others wait."""

import threading
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager


class QueueFullError(Exception):
    """There is no place for the caller, or its turn did not come in time."""


class _Place:
    """The place of one caller. lost: it was given to another user."""

    __slots__ = ("lost", "user")

    def __init__(self, user: Hashable) -> None:
        self.user = user
        self.lost = False


class FairQueue:
    """Lets one caller at a time work, and few others wait. Thread-safe.

    One user may take all places while nobody else comes. In a full queue a user with at least two
    places less gets the newest place of the user who has the most. Users take turns.
    """

    def __init__(self, places: int) -> None:
        """places: how many callers may work or wait."""
        self._places = places
        self._changed = threading.Condition()
        self._working: _Place | None = None
        self._waiting: list[_Place] = []
        self._last_user: Hashable = None

    @contextmanager
    def turn(self, user: Hashable, timeout: float) -> Iterator[None]:
        """Wait for the caller's turn and hold it.

        user: for whom. timeout: seconds to wait. Raises QueueFullError.
        """
        with self._changed:
            self._wait(self._enter(user), timeout)
        try:
            yield
        finally:
            with self._changed:
                self._working = None
                self._changed.notify_all()

    def _enter(self, user: Hashable) -> _Place:
        if len(self._all()) >= self._places:
            self._take_place_for(user)
        place = _Place(user)
        self._waiting.append(place)
        self._changed.notify_all()
        return place

    def _wait(self, place: _Place, timeout: float) -> None:
        try:
            self._changed.wait_for(lambda: place.lost or self._next() is place, timeout)
            if place.lost or self._next() is not place:
                raise QueueFullError
            self._working, self._last_user = place, place.user
        finally:
            if not place.lost:
                self._waiting.remove(place)
            self._changed.notify_all()

    def _all(self) -> list[_Place]:
        return self._waiting + ([self._working] if self._working else [])

    def _next(self) -> _Place | None:
        """Return whose turn it is: the first of another user than the last one, or the first."""
        if self._working or not self._waiting:
            return None
        others = (place for place in self._waiting if place.user != self._last_user)
        return next(others, self._waiting[0])

    def _take_place_for(self, user: Hashable) -> None:
        """Take the newest place that waits from the user with the most places."""
        counts = Counter(place.user for place in self._all())
        [(greediest, most)] = counts.most_common(1)
        if most < counts[user] + 2:
            raise QueueFullError
        taken = next(place for place in reversed(self._waiting) if place.user == greediest)
        taken.lost = True
        self._waiting.remove(taken)
        self._changed.notify_all()
