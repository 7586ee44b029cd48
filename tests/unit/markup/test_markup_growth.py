"""The rendering time grows about linearly with the length of a text."""

import gc
import math
import time
from collections.abc import Callable

import pytest

from tests.unit.markup.large_texts import UNITS, filled

SIZE = 12_000
"""Of the shorter text, in characters: enough that what grows with the square shows."""

HONEST = [
    *("plain words in lines", "plain words in paragraphs", "heading in lines"),
    *("closed heading in lines", "heading in paragraphs", "underlined heading in lines"),
    *("rule in lines", "bullet in lines", "bullet with text in lines", "bullet in paragraphs"),
    *("numbered item in lines", "task in lines", "done task in paragraphs", "quote in lines"),
    *("quote in paragraphs", "quoted bullet in lines", "table in paragraphs", "table row in lines"),
    *("fence in lines", "fenced Python in lines", "fenced Python in paragraphs"),
    *("indented code in lines", "emphasis in lines", "link in lines", "link in paragraphs"),
    *("fence in paragraphs", "code span in lines", "code span in paragraphs"),
    *("picture in paragraphs", "reference in paragraphs", "definition in lines"),
    *("address in lines", "mention in lines", "mention in paragraphs"),
]

NEVER_CLOSED = [
    *("opening bracket alone", "opening bracket in lines", "unfinished picture in lines"),
    *("unfinished link alone", "unfinished link in lines"),
]
"""What Python-Markdown would search for its end to the end of the text, each time."""


def growth(short: Callable[[], object], long: Callable[[], object]) -> float:
    """Return how much more processor time the second call takes, both at their best.

    They are called by turns, so that other work of the machine meets both: twice, and up to twenty
    times where it is three times as much. Garbage is not collected meanwhile: that takes longer the
    more the tests before have left, and falls into the long call.
    """
    best = [math.inf, math.inf]
    gc.disable()
    try:
        for turn in range(20):
            if turn > 1 and best[1] / best[0] < 3:
                break
            for at, call in enumerate((short, long)):
                began = time.process_time()
                call()
                best[at] = min(best[at], time.process_time() - began)
    finally:
        gc.enable()
    return best[1] / best[0]


@pytest.mark.parametrize("name", [*HONEST, *NEVER_CLOSED])
def test_a_text_twice_as_long_takes_less_than_three_times_as_long(pipeline, name):
    short, long = filled(UNITS[name], SIZE), filled(UNITS[name], 2 * SIZE)
    pipeline.render(short, "")
    assert growth(lambda: pipeline.render(short, ""), lambda: pipeline.render(long, "")) < 3


def test_there_are_144_kinds_of_large_text():
    assert len(UNITS) == 144
    assert {*HONEST, *NEVER_CLOSED} <= set(UNITS)


@pytest.mark.parametrize("beginning", ["<!--", "<?"])
def test_html_that_never_ends_is_not_searched_for_its_end_each_time(pipeline, beginning):
    short, long = (filled(f"a {beginning} ", size) for size in (16_000, 32_000))
    assert growth(lambda: pipeline.render(short, ""), lambda: pipeline.render(long, "")) < 3


@pytest.mark.parametrize(
    "unit",
    [
        "(https://a.example/b)吧",
        "https://a.example/`c`",
        "- ```c\n",
        "a\n|-|-|\n",
        "[a](b (",
        "``a`",
    ],
)
def test_what_looks_like_its_end_is_not_searched_for_each_time(pipeline, unit):
    short, long = filled(unit, SIZE), filled(unit, 2 * SIZE)
    assert growth(lambda: pipeline.render(short, ""), lambda: pipeline.render(long, "")) < 3
