"""The demo's random numbers and words: repeatable and skewed."""

from collections import Counter

import pytest

from forumsvc.demo.language import LANGUAGES, themes
from forumsvc.demo.rng import stream, zipf
from forumsvc.demo.vocabulary import SIZE, Vocabulary, han_characters


def test_a_stream_depends_on_its_seed_and_its_names_alone() -> None:
    assert stream(1, "topics", 2).random() == stream(1, "topics", 2).random()
    draws = {stream(*names).random() for names in ((1, "a"), (2, "a"), (1, "b"), (1, "a", "b"))}
    assert len(draws) == 4


def test_the_first_ranks_are_drawn_most_and_all_are_drawn() -> None:
    rng = stream(1)
    drawn = Counter(zipf(rng, 100, 4.0) for _ in range(50_000))
    assert set(drawn) == set(range(100))
    assert drawn[0] > 2 * drawn[10] > 4 * drawn[60]


def test_a_character_set_gives_its_han_characters() -> None:
    assert len(han_characters("gb2312")) == 6763
    assert len(han_characters("euc_jp")) > 6300


def test_listed_words_come_before_combined_ones() -> None:
    words = Vocabulary(["one", "two"], [[["a", "b"], ["x"]], [["p", "q", "r"], ["s", "t"]]])
    assert [words.word(rank) for rank in range(2)] == ["one", "two"]
    assert {words.word(rank) for rank in (2, 3)} == {"ax", "bx"}
    assert {words.word(rank) for rank in range(4, 10)} == {"ps", "pt", "qs", "qt", "rs", "rt"}


@pytest.mark.parametrize("language", LANGUAGES[:-1])
def test_most_texts_share_few_words_and_most_words_are_in_few_texts(language: str) -> None:
    draw = themes(language)[0].words["term"]
    assert callable(draw)
    rng = stream(1)
    drawn = Counter(draw(rng) for _ in range(100_000))
    # By Zipf's law the first word comes about as often as the next ten, the tail hardly at all.
    frequencies = [count for _, count in drawn.most_common()]
    assert frequencies[0] > 4 * frequencies[40] > 8 * frequencies[200]
    assert len(drawn) > 20_000
    assert frequencies.count(1) > len(drawn) / 3


@pytest.mark.parametrize("language", LANGUAGES[:-1])
def test_a_vocabulary_has_fifty_thousand_words(language: str) -> None:
    words = themes(language)[0].words["term"].__self__  # type: ignore[union-attr]
    assert len({words.word(rank) for rank in range(SIZE)}) > 50_000


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_the_words_have_five_thousand_han_characters(language: str) -> None:
    words = themes(language)[0].words["term"].__self__  # type: ignore[union-attr]
    characters = {one for rank in range(SIZE) for one in words.word(rank)}
    assert sum("\u4e00" <= one <= "\u9fff" for one in characters) > 5000
