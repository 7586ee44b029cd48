"""Counts in memory end after their time, and are removed once it is over."""

import pytest

from forumsvc.web.limits import memory_counts
from forumsvc.web.limits.memory_counts import MemoryCounts
from tests.seconds_clock import SecondsClock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SecondsClock:
    clock = SecondsClock()
    monkeypatch.setattr(memory_counts, "time", clock)
    return clock


def test_events_are_numbered_until_the_time_of_the_first_ends(clock):
    counts = MemoryCounts()
    assert [counts.count("a", 10) for _ in range(3)] == [(1, 10), (2, 10), (3, 10)]
    clock.now += 9
    assert counts.count("a", 10) == (4, 1)
    clock.now += 1
    assert counts.count("a", 10) == (1, 10)


def test_ended_counts_are_removed_once_a_minute(clock):
    counts = MemoryCounts()
    for number in range(100):
        counts.count(str(number), 10)
    clock.now += 59
    counts.count("late", 10)
    assert len(counts) == 101
    clock.now += 1
    counts.count("later", 10)
    assert len(counts) == 2
