"""The difference of two texts by words: right, whole, and never slow."""

import random
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forumsvc.pages.word_diff import Budget, Kind, Part, difference, shortened

FAMILY = "👩\u200d👩\u200d"
SIGNS = {Kind.SAME: "{}", Kind.REMOVED: "[-{}-]", Kind.ADDED: "[+{}+]", Kind.LEFT_OUT: "…"}


def shown(parts: list[Part]) -> str:
    return "".join(SIGNS[part.kind].format(part.text) for part in parts)


def diff(old: str, new: str) -> list[Part]:
    """Return the difference, from which both texts can be put together again."""
    parts = difference(old, new, Budget())
    for kind, text in ((Kind.REMOVED, old), (Kind.ADDED, new)):
        assert "".join(part.text for part in parts if part.kind in (Kind.SAME, kind)) == text
    return parts


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("A big boat", "A small boat", "A [-big-][+small+] boat"),
        ("same", "same", "same"),
        ("", "new", "[+new+]"),
        ("old", "", "[-old-]"),
        ("One.\nTwo.\nThree.", "One.\nThree.", "One.\n[-Two.\n-]Three."),
        ("One. It is. Three.", "One. It was. Three.", "One. It [-is-][+was+]. Three."),
        ("你好世界", "你好新世界", "你好[+新+]世界"),
        ("これは船です", "これは車です", "これは[-船-][+車+]です"),
        ("هذا قارب كبير", "هذا قارب صغير", "هذا قارب [-كبير-][+صغير+]"),
        ("كَتَبَ الولدُ", "كَتَبَ البنتُ", "كَتَبَ [-الولدُ-][+البنتُ+]"),
        ("e\u0301te", "e\u0300te", "[-e\u0301te-][+e\u0300te+]"),
        ("葛\U000e0100城", "葛\U000e0101城", "[-葛\U000e0100-][+葛\U000e0101+]城"),
        (f"{FAMILY}👧 x", f"{FAMILY}👦 x", f"[-{FAMILY}👧-][+{FAMILY}👦+] x"),
        ("<script>a()</script>", "<script>b()</script>", "<script>[-a-][+b+]()</script>"),
    ],
)
def test_what_an_edit_has_changed_is_shown_by_words(old, new, expected):
    assert shown(diff(old, new)) == expected


TEXTS = st.text("ab \n.。你\u0301\r\u2028é<", max_size=40)


@given(TEXTS, TEXTS)
def test_both_texts_are_in_every_difference(old, new):
    parts = diff(old, new)
    assert all(part.text for part in parts)
    assert all(one.kind is not other.kind for one, other in pairwise(parts))


def of_two(make: Callable[[str], str]) -> tuple[str, str]:
    return make("y"), make("z")


RNG = random.Random(7)  # noqa: S311 - no secret
LETTERS = 100_000
HOSTILE: dict[str, tuple[str, str]] = {
    "one word": ("a" * LETTERS, "a" * (LETTERS // 2) + "b" + "a" * (LETTERS // 2)),
    "letters": ("的是" * (LETTERS // 2), "是的的" * (LETTERS // 3)),
    "two words": of_two(lambda end: " ".join(RNG.choices("ab", k=LETTERS // 2))),
    "alone": of_two(lambda end: " ".join(f"x {end}{at}" for at in range(20_000))),
    "some alone": of_two(lambda end: " ".join(f"x {end}{at}" for at in range(200))),
    "unique": of_two(lambda end: " ".join(f"m{at} {end}{at}" for at in range(1_000))),
    "lines": of_two(lambda end: "\n".join(f"x {end}{at}" for at in range(20_000))),
    "full stops": ("." * LETTERS, "!." * LETTERS),
    "line ends": ("\n" * LETTERS, "\n a" * LETTERS),
    "blanks": (" " * LETTERS, "\t " * LETTERS),
    "from right to left": ("ابت " * (LETTERS // 4), "تبا " * (LETTERS // 4)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_texts_that_would_take_hours_are_compared_as_far_as_the_budget_goes(name):
    diff(*HOSTILE[name])
    budget = Budget()
    difference(*HOSTILE[name], budget)
    assert budget.steps >= 0


def test_a_page_of_hostile_texts_has_one_budget():
    budget = Budget()
    old, new = HOSTILE["some alone"]
    compared = [len(difference(old, new, budget)) > 10 for _ in range(30)]
    assert compared[0]
    assert not compared[-1]


def test_a_long_text_that_stays_is_left_out_around_a_change():
    words = " ".join(f"word{at}" for at in range(500))
    parts = shortened(diff(f"{words} old {words}", f"{words} new {words}"))
    assert [part.kind for part in parts] == [
        *(Kind.LEFT_OUT, Kind.SAME, Kind.REMOVED, Kind.ADDED, Kind.SAME, Kind.LEFT_OUT)
    ]
    assert [len(part.text) for part in parts[1:5]] == [200, 3, 3, 200]
    assert shortened(diff("short", "short")) == [Part(Kind.SAME, "short")]
