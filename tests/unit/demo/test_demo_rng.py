"""The demo's random numbers: repeatable, skewed, and with correct sums."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from forumsvc.demo.rng import ZipfSampler, apportion, long_tail, stream

WEIGHTS = st.lists(st.one_of(st.just(0.0), st.floats(0.001, 1e6)), min_size=1, max_size=200)


def test_a_stream_depends_on_its_seed_and_its_names_alone() -> None:
    assert stream(1, "topics", 2).random() == stream(1, "topics", 2).random()
    draws = {stream(*names).random() for names in ((1, "a"), (2, "a"), (1, "b"), (1, "a", "b"))}
    assert len(draws) == 4


@given(WEIGHTS, st.integers(0, 100_000))
def test_shares_add_up_to_the_total_and_follow_the_weights(
    weights: list[float], total: int
) -> None:
    shares = apportion(weights, total)
    whole = sum(weights)
    assert sum(shares) == (total if whole else 0)
    for weight, share in zip(weights, shares, strict=True):
        assert share >= 0
        assert abs(share - (total * weight / whole if whole else 0)) <= 2


def test_the_first_ranks_are_drawn_most_and_all_are_drawn() -> None:
    skew = ZipfSampler(100, stream(1), 4.0)
    drawn = Counter(skew.draw() for _ in range(50_000))
    assert set(drawn) == set(range(100))
    assert drawn[0] > 2 * drawn[10] > 4 * drawn[99]


@given(st.integers(1, 10**6), st.integers())
def test_a_rank_is_always_one_of_the_ranks(count: int, seed: int) -> None:
    skew = ZipfSampler(count, stream(seed), 4.0)
    assert all(0 <= skew.draw() < count for _ in range(100))


def test_long_tails_are_bounded_and_mostly_short() -> None:
    rng = stream(1)
    weights = sorted(long_tail(rng, 1.25, 600.0) for _ in range(20_000))
    assert weights[0] >= 1
    assert weights[-1] == 600
    assert weights[len(weights) // 2] < 2
