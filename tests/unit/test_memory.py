"""What is kept: bounded, the longest unused goes first, and nothing is taken under another mark."""

import random
from functools import partial

from forumsvc.cache.page_cache import Memory
from tests.functional.threads import together


def test_a_value_is_there_under_its_mark_and_no_other() -> None:
    memory = Memory(100)
    memory.put("page", 1, "one", 10)
    assert memory.get("page", 1) == "one"
    assert memory.get("page", 2) is None
    assert memory.get("other", 1) is None
    assert (memory.hits, memory.misses) == (1, 2)


def test_a_newer_value_takes_the_place_of_the_older_and_its_room() -> None:
    memory = Memory(100)
    memory.put("page", 1, "one", 60)
    memory.put("page", 2, "two", 70)
    assert (memory.get("page", 1), memory.get("page", 2), memory.used) == (None, "two", 70)


def test_the_longest_unused_makes_room() -> None:
    memory = Memory(100)
    for name in ("first", "second", "third"):
        memory.put(name, 1, name, 30)
    memory.get("first", 1)
    # To ask for it under another mark is not to use it.
    memory.get("second", 2)
    memory.put("fourth", 1, "fourth", 30)
    there = [name for name in ("first", "second", "third", "fourth") if memory.knows(name)]
    assert there == ["first", "third", "fourth"]


def test_what_is_larger_than_all_room_is_not_kept_and_pushes_nothing_out() -> None:
    memory = Memory(100)
    memory.put("small", 1, "small", 100)
    memory.put("large", 1, "large", 101)
    assert (memory.knows("small"), memory.knows("large"), memory.used) == (True, False, 100)


def test_what_has_grown_too_large_leaves_nothing_older_behind() -> None:
    memory = Memory(100)
    memory.put("page", 1, "one", 10)
    memory.put("page", 2, "two", 101)
    assert memory.get("page", 2) is None
    assert memory.used <= 100


def test_no_room_is_no_memory() -> None:
    memory = Memory(0)
    memory.put("page", 1, "one", 1)
    assert (memory.knows("page"), memory.used) == (False, 0)


def test_threads_find_their_own_and_the_room_is_reckoned_right() -> None:
    memory = Memory(1_000)

    def use(seed: int) -> None:
        choices = random.Random(seed)  # noqa: S311  # a test's choices, to be repeated
        for _ in range(3_000):
            key, mark = choices.randrange(40), choices.randrange(3)
            found = memory.get(key, mark)
            assert found in (None, (key, mark))
            memory.put(key, mark, (key, mark), choices.randrange(1, 120))
            assert memory.used <= 1_000

    together([partial(use, seed) for seed in range(4)])
    memory.put("all", 1, "all", 1_000)
    assert (memory.used, [key for key in range(40) if memory.knows(key)]) == (1_000, [])
