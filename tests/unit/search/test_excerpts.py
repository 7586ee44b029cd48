"""Marked titles and excerpts."""

import re
from collections.abc import Iterable

import pytest
import regex

from forumsvc.search.excerpts import Excerpts, mark_title
from forumsvc.search.matching import PhraseMatcher, WordMatcher
from forumsvc.search.query import parse_query
from tests.cases import each


def matcher(query: str) -> WordMatcher:
    return WordMatcher(parse_query(query).words)


class CountedMatches(WordMatcher):
    """Counts the characters that are compared one by one."""

    def __init__(self, query: str) -> None:
        super().__init__(parse_query(query).words)
        self.characters = 0

    def matches(self, normal: str) -> Iterable[tuple[int, int]]:
        self.characters += len(normal)
        return super().matches(normal)


@each(
    ("query", "title", "shown"),
    [
        ("cafe", "Das Café & mehr", "Das <mark>Café</mark> &amp; mehr"),
        ("lodz", "Das ist Łódź", "Das ist <mark>Łódź</mark>"),
        ("搜索", "中文搜索引擎", "中文<mark>搜索</mark>引擎"),
        ("猫", "黑猫和猫", "黑<mark>猫</mark>和<mark>猫</mark>"),
        ("deploy", "Deployment", "<mark>Deployment</mark>"),
        ("grus", "Viele Grüße", "Viele <mark>Grüße</mark>"),
        ('"gruss"', "Viele Grüße", "Viele Grüße"),
    ],
)
def test_the_words_of_the_query_are_marked(query, title, shown):
    assert mark_title(title, matcher(query)) == shown


def test_an_excerpt_is_about_160_characters_around_the_most_words():
    text = "start " * 200 + "the wanted word stands here " + "end " * 200
    shown = Excerpts(matcher("wanted word")).excerpt(text)
    assert "<mark>wanted</mark> <mark>word</mark>" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    plain = shown.replace("<mark>", "").replace("</mark>", "").strip("…")
    assert 100 <= len(plain) <= 180
    assert set(plain.split()) <= {"start", "the", "wanted", "word", "stands", "here", "end"}


def test_an_excerpt_of_chinese_is_half_as_long():
    shown = Excerpts(matcher("搜索")).excerpt("文" * 300 + "搜索" + "字" * 300)
    assert "<mark>搜索</mark>" in shown
    assert 60 <= len(shown) <= 100


@pytest.mark.parametrize("shift", range(12))
def test_an_excerpt_without_blanks_is_cut_between_characters_as_people_see_them(shift):
    emoji = ["👩\u200d👩\u200d👧", "🇨🇳", "👍🏽", "e\u0301", "한"]
    around = "文" * shift + "".join(emoji) * 60
    shown = Excerpts(matcher("搜索")).excerpt(f"{around}搜索{around}")
    pieces = re.sub("</?mark>|[文搜索…]", "", shown)
    assert set(regex.findall(r"\X", pieces)) == set(emoji)


def test_a_short_text_is_shown_whole_and_one_without_a_match_from_its_beginning():
    assert Excerpts(matcher("none")).excerpt(" A  short\ntext ") == "A short text"
    assert Excerpts(matcher("none")).excerpt("x " * 400).startswith("x x x")


@each(
    ("text", "phrase", "is_there"),
    [
        ("to be, or not to be", "or not", True),
        ("to be, or not to be", "not or", False),
        ("preordained", "ordained", False),
        ("中文搜索引擎", "文搜索", True),
        ("中文 搜索", "文搜索", False),
        ("uses node.js here", "node js", True),
        ("Don't panic", "dont panic", True),
    ],
)
def test_a_phrase_is_a_sequence_of_whole_words(text, phrase, is_there):
    assert PhraseMatcher([phrase], []).matches(text) is is_there
    assert PhraseMatcher([], [phrase]).matches(text) is not is_there


@each(
    ("query", "title", "judgement"),
    [
        ("red apples", "Red apples", (True, True)),
        ("red apples", "Red pears", (False, True)),
        ("red apples", "Bored", (False, False)),
        ("dont panic", "Don't panic", (True, True)),
        ("app*  red", "Apples", (False, True)),
        ("猫", "黑猫", (True, True)),
        ("by:ann", "Red apples", (False, False)),
    ],
)
def test_a_title_has_all_words_or_some_or_none(query, title, judgement):
    assert matcher(query).judge(title) == judgement


def test_all_excerpts_of_an_answer_together_have_a_bound():
    # Each part has the letters of the word and not the word, so each has to be compared.
    text = "xpythonx " * 1_000
    counted = CountedMatches("python")
    excerpts = Excerpts(counted)
    shown = [excerpts.excerpt(text) for _ in range(100)]
    assert counted.characters < 100_000
    assert {one[:9] for one in shown} == {"xpythonx "}
    # A new answer has a bound of its own.
    assert "<mark>" in Excerpts(counted).excerpt("python " * 10)


def test_an_excerpt_is_found_at_the_border_of_two_parts():
    for before in range(1_960, 2_010):
        text = f"{'x' * before} python {'y' * 3_000}"
        assert "<mark>python</mark>" in Excerpts(matcher("python")).excerpt(text)
