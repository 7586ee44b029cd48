"""The times of events in the demo, in milliseconds since its beginning."""

import math
import random
from array import array
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from statistics import NormalDist

LATEST = datetime(2026, 11, 1, tzinfo=UTC)
"""The latest time in a demo. Fixed, so that the same seed gives the same rows on any day."""

DAYS = 3 * 365
"""How long the demo community has existed."""

_HOUR = 3_600_000
_DAY = 24 * _HOUR
_GROWTH = 0.6
"""Below 1: the density increases with time."""


class Timeline:
    """The years of the demo community.

    until: the end, aware; `end`: the same in milliseconds.
    """

    end = DAYS * _DAY

    def __init__(self, until: datetime) -> None:
        self._start = until.astimezone(UTC) - timedelta(days=DAYS)

    def spread(self, count: int, rng: random.Random, growth: float = _GROWTH) -> "array[int]":
        """Return `count` ascending times (`q`), all at least an hour before the end."""
        length = self.end - _HOUR
        return array(
            "q", (int(length * ((i + rng.random()) / count) ** growth) for i in range(count))
        )

    def moment(self, ms: int) -> datetime:
        """Return the time as an aware UTC datetime."""
        return self._start + timedelta(milliseconds=ms)


class Delays:
    """How long users take to react: mostly minutes, often days, sometimes months.

    A log-normal distribution with a median of three hours, from a table of its quantiles.
    """

    _STEPS = 4096

    def __init__(self, end: int, rng: random.Random) -> None:
        normal = NormalDist(math.log(3 * _HOUR), 2.2)
        quantiles = (normal.inv_cdf((i + 0.5) / self._STEPS) for i in range(self._STEPS))
        self._table = array("q", (int(math.exp(it)) for it in quantiles))
        self._end = end
        self._random = rng.random

    def after(self, ms: int) -> int:
        """Return a time at least two seconds after `ms` and at least a second before the end.

        ms: not later than a minute before the end.
        """
        chance = self._random() * self._STEPS
        step = int(chance)
        delay = int(self._table[step] * (0.75 + 0.5 * (chance - step)))
        room = self._end - ms - 4000
        if delay > room:
            delay = int(room * (chance - step))
        return ms + 2000 + delay


class TimeBuckets:
    """Sorts numbers by time, with one bucket a day and eight bytes a number.

    end: the latest time; unit: the milliseconds to which times are truncated; bits: the width of
    the numbers; a day in units must fit into the rest of 64 bits.
    """

    def __init__(self, end: int, unit: int, bits: int) -> None:
        self._days = [array("Q") for _ in range(end // _DAY + 1)]
        self._unit = unit
        self._bits = bits

    def add(self, ms: int, number: int) -> None:
        """Add `number` at the time `ms`."""
        day, rest = divmod(ms, _DAY)
        self._days[day].append(rest // self._unit << self._bits | number)

    def __len__(self) -> int:
        return sum(map(len, self._days))

    def drain(self) -> Iterator[tuple[int, int]]:
        """Yield (time, number) in order, and free each day afterwards."""
        bits, mask, unit = self._bits, (1 << self._bits) - 1, self._unit
        for day, bucket in enumerate(self._days):
            self._days[day] = array("Q")
            midnight = day * _DAY
            for packed in sorted(bucket):
                yield midnight + (packed >> bits) * unit, packed & mask
