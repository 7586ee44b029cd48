"""The page cache: bounded, least recently used first, and one version of each value."""

import random
from functools import partial

from forumsvc.cache.page_cache import PageCache
from tests.functional.threads import together


def test_a_value_is_valid_under_its_version_only():
    page_cache = PageCache(100)
    page_cache.put("page", 1, "one", 10)
    assert page_cache.get("page", 1) == "one"
    assert page_cache.get("page", 2) is None
    assert page_cache.get("other", 1) is None
    assert (page_cache.hits, page_cache.misses) == (1, 2)


def test_a_newer_value_replaces_the_older_one_and_its_size():
    page_cache = PageCache(100)
    page_cache.put("page", 1, "one", 60)
    page_cache.put("page", 2, "two", 70)
    assert (page_cache.get("page", 1), page_cache.get("page", 2), page_cache.used_bytes) == (
        None,
        "two",
        70,
    )


def test_the_least_recently_used_value_is_evicted():
    page_cache = PageCache(100)
    for name in ("first", "second", "third"):
        page_cache.put(name, 1, name, 30)
    page_cache.get("first", 1)
    # A get with another version is no use.
    page_cache.get("second", 2)
    page_cache.put("fourth", 1, "fourth", 30)
    there = [name for name in ("first", "second", "third", "fourth") if name in page_cache]
    assert there == ["first", "third", "fourth"]


def test_a_value_larger_than_the_cache_is_not_stored_and_evicts_nothing():
    page_cache = PageCache(100)
    page_cache.put("small", 1, "small", 100)
    page_cache.put("large", 1, "large", 101)
    assert ("small" in page_cache, "large" in page_cache, page_cache.used_bytes) == (
        True,
        False,
        100,
    )


def test_threads_get_their_own_values_and_the_size_is_counted_right():
    page_cache = PageCache(1_000)

    def use(seed: int) -> None:
        choices = random.Random(seed)  # noqa: S311  # a test's choices, to be repeated
        for _ in range(3_000):
            key, version = choices.randrange(40), choices.randrange(3)
            found = page_cache.get(key, version)
            assert found in (None, (key, version))
            page_cache.put(key, version, (key, version), choices.randrange(1, 120))
            assert page_cache.used_bytes <= 1_000

    together([partial(use, seed) for seed in range(4)])
    page_cache.put("all", 1, "all", 1_000)
    assert (page_cache.used_bytes, [key for key in range(40) if key in page_cache]) == (1_000, [])
