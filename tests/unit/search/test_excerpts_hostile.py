"""Whatever the text: what is marked is escaped, and what is searched is found."""

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forumsvc.errors import Invalid
from forumsvc.search.excerpts import Excerpts, mark_title
from forumsvc.search.expressions import TITLE
from forumsvc.search.matching import WordMatcher
from forumsvc.search.normal_form import normalize
from forumsvc.search.query import parse_query
from forumsvc.search.tokens import MAX_TOKEN, Term, as_prefix, terms, tokens
from tests.cases import each
from tests.unit.markup import xss_corpus

MARK = re.compile("</?mark>")
MARKED = re.compile("<mark>(.*?)</mark>", re.DOTALL)
BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|#x27);)")
BLANKS = re.compile(r"\s+")
QUERIES = ("script", "s*", "alert 1", "img svg amp", "lt gt quot x27", "javascript:alert", "x")
"""Words of the corpus, and words that stand in escaped text only."""

# Han with an extension, Kana, Hangul, Thai: every character may stand alone.
RUN_CHARACTERS = st.one_of(
    st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF),
    st.characters(min_codepoint=0x20000, max_codepoint=0x2A6DF),
    st.characters(min_codepoint=0x3041, max_codepoint=0x3094),
    st.characters(min_codepoint=0x30A1, max_codepoint=0x30FA),
    st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3),
    st.characters(min_codepoint=0x0E01, max_codepoint=0x0E3A),
    st.sampled_from("猫犬々ーのはがぎ한국어สวัสดี㐀豈ｶﾞｱ㌀"),
)
# In normal form, as the index has it: の and a voicing mark behind it are one character there.
runs = st.text(RUN_CHARACTERS, min_size=1, max_size=60).map(normalize)
around = st.sampled_from(["", " ", "abc", "x.", "…", "\n", "1", "<b>"])
# Without those that stand for several characters, such as the Catalan ŀ, which has a dot.
letters = st.characters(categories=("Ll", "Lu"), max_codepoint=0x52F).filter(
    lambda one: normalize(one).isalpha()
)
words = st.text(letters, min_size=3, max_size=80)
hostile = st.lists(
    st.sampled_from(
        [
            *("<b>", "</mark>", "<mark>", "&", "&amp;", "&lt;", '"', "'", "\\", "\x00", "=", "@u1"),
            *["が", "ｶﾞ", "ß", "ﬃ", "ﷺ", "㌀", "İ", "ΐ", "한", "สวัส", "a.b-c", "c++", "c#", "don't"],
            *("猫犬", "\u3099", "\u00ad", "\u200b", "\u202e", "e\u0301", "\u2028", "\U0010ffff"),
            *(" ", "\n"),
        ]
    )
    | st.text(max_size=6),
    max_size=30,
).map("".join)


def matcher(query: str) -> WordMatcher:
    return WordMatcher(parse_query(query).words)


def assert_is_escaped_part(marked: str, text: str, left_out: str = "") -> None:
    """The marks removed, there is no markup; unescaped, it is a part of the text.

    left_out: what may stand around the part.
    """
    plain = MARK.sub("", marked)
    assert not set(plain) & {"<", ">"}
    assert BARE_AMPERSAND.search(plain) is None
    assert marked.count("<mark>") == marked.count("</mark>")
    part = unescape(plain)
    # The text may begin or end with the same character.
    parts = [part, part.removeprefix(left_out)]
    assert any(one in text or one.removesuffix(left_out) in text for one in parts)


def assert_excerpt_is_escaped_part(marked: str, text: str) -> None:
    """The same, with `…` around it where something is left out."""
    assert_is_escaped_part(marked, BLANKS.sub(" ", text).strip(), left_out="…")


def finds(query: list[Term], text: str) -> bool:
    """Return whether the index would find the text."""
    return WordMatcher(query).has_all(frozenset(tokens(text)))


@each("query", QUERIES)
def test_no_text_of_the_xss_corpus_becomes_markup(query):
    sought = matcher(query)
    for text in xss_corpus.texts()[:: 1 if query == "script" else 7]:
        assert_is_escaped_part(mark_title(text, sought), text)
        assert_excerpt_is_escaped_part(Excerpts(sought).excerpt(text), text)


@given(hostile, st.sampled_from([*QUERIES, "猫", "한", "ss", "ffi", "a.b", '"c"', "mark b"]))
@settings(max_examples=300)
def test_no_hostile_text_becomes_markup(text, query):
    sought = matcher(query)
    assert_is_escaped_part(mark_title(text, sought), text)
    long = f"{text} {'word ' * 40}{text}"
    assert_excerpt_is_escaped_part(Excerpts(sought).excerpt(long), long)


@each("query", ["amp", "lt", "quot", "x27"])
def test_the_names_of_escapes_are_not_found(query):
    assert mark_title("""<&>"'""", matcher(query)) == "&lt;&amp;&gt;&quot;&#x27;"


@given(runs, st.data(), around, around)
@settings(max_examples=400)
def test_every_part_of_a_run_without_blanks_is_found(run, data, before, after):
    start = data.draw(st.integers(0, len(run) - 1))
    part = run[start : start + data.draw(st.integers(1, 20))]
    found = terms(part)
    assert found
    assert finds(found, f"{before}{run}{after}")


@given(
    words, st.data(), st.sampled_from(["", " ", "猫", ", ", "("]), st.sampled_from(["", " 猫", "!"])
)
@settings(max_examples=400)
def test_every_beginning_of_a_word_with_three_letters_finds_it(word, data, before, after):
    beginning = word[: data.draw(st.integers(3, len(word)))]
    [term] = terms(beginning)
    assert finds([as_prefix(term)], f"{before}{word}{after}")


@given(hostile | st.text())
@settings(max_examples=500)
def test_the_normal_form_of_a_normal_form_is_itself(text):
    normal = normalize(text)
    assert normalize(normal) == normal


@given(hostile | st.text())
@settings(max_examples=300)
def test_tokens_are_short_and_need_no_quoting(text):
    for token in tokens(text):
        assert 1 <= len(token) <= MAX_TOKEN
        assert not set(token) & set("\"'\\=@\x00")
        assert not any(map(str.isspace, token))


@given(hostile)
@settings(max_examples=200)
def test_no_token_of_a_text_is_a_token_of_a_title(text):
    titles = {TITLE + token for token in tokens(text)}
    assert titles.isdisjoint(tokens(text))
    assert titles.isdisjoint(tokens(" ".join(titles)))


def test_the_word_itself_is_marked_where_lengths_of_normal_forms_happen_to_agree():
    marked = mark_title("\u00adxx cat ß", matcher("cat"))
    assert MARKED.findall(marked) == ["cat"]


@each("text", ["ᄀ\u200bᅡ", "か\u200b\u3099", "\u0627\u200d\u0653"])
def test_an_invisible_character_does_not_hinder_composition(text):
    assert normalize(text) == normalize(text.replace("\u200b", "").replace("\u200d", ""))


@each("query", ["by:@", 'by:"@"', "BY:@", "by\uff1a@", "@", "@@"])
def test_an_at_sign_without_a_login_is_refused(query):
    with pytest.raises(Invalid):
        parse_query(query)
