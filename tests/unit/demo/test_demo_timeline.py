"""The demo's times: in order, within its years, denser towards the end."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from forumsvc.demo.rng import stream
from forumsvc.demo.timeline import DAYS, LATEST, Delays, TimeBuckets, Timeline

TIMELINE = Timeline(LATEST)
EVENTS = st.lists(st.tuples(st.integers(0, TIMELINE.end), st.integers(0, 2**27 - 1)))


@given(EVENTS)
def test_time_buckets_return_their_numbers_in_the_order_of_time(
    events: list[tuple[int, int]],
) -> None:
    buckets = TimeBuckets(TIMELINE.end, 1, 27)
    for ms, number in events:
        buckets.add(ms, number)
    assert list(buckets.drain()) == sorted(events)


@given(st.lists(st.tuples(st.integers(0, TIMELINE.end), st.integers(0, 2**47 - 1))))
def test_a_calendar_of_seconds_cuts_times_to_seconds(events: list[tuple[int, int]]) -> None:
    buckets = TimeBuckets(TIMELINE.end, 1000, 47)
    for ms, number in events:
        buckets.add(ms, number)
    assert list(buckets.drain()) == sorted((ms // 1000 * 1000, number) for ms, number in events)


def test_a_calendar_forgets_what_it_gave() -> None:
    buckets = TimeBuckets(TIMELINE.end, 1, 27)
    buckets.add(5, 5)
    assert list(buckets.drain()) == [(5, 5)]
    assert list(buckets.drain()) == []


@given(st.integers(0, TIMELINE.end - 3_600_000), st.integers())
def test_a_reaction_is_later_than_its_cause_and_before_the_end(ms: int, seed: int) -> None:
    after = Delays(TIMELINE.end, stream(seed)).after
    assert all(ms + 2000 <= after(ms) <= TIMELINE.end - 1000 for _ in range(100))


def test_events_ascend_and_grow_denser() -> None:
    times = TIMELINE.spread(1000, stream(1))
    assert list(times) == sorted(times)
    middle = TIMELINE.end // 2
    earlier = sum(ms < middle for ms in times)
    assert earlier < 400


def test_the_demo_ends_at_the_given_time() -> None:
    assert TIMELINE.moment(TIMELINE.end) == LATEST
    assert TIMELINE.moment(0) == LATEST - timedelta(days=DAYS)
    assert TIMELINE.moment(1) - TIMELINE.moment(0) == timedelta(milliseconds=1)
