"""Unicode normalization: that of the standard library, but for endless runs of marks."""

import ast
import sys
import unicodedata
from itertools import groupby
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import forumsvc
from forumsvc.text.unicode_forms import (
    INVISIBLE,
    MOST_MARKS,
    is_blank,
    normalized,
    stream_safe,
    without_ignorable,
)
from tests.cases import each

CHARACTERS = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
MARKS = st.sampled_from(["\u0301", "\u0316", "\u0344", "\uff9e", "\u3099", "\U0001e8d0", "\u0f73"])


def is_mark(character: str) -> bool:
    """Return whether normalization may have to sort it."""
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) > 0


def test_every_mark_of_unicode_is_cut_and_no_other_character_is():
    wrong = [
        hex(ord(one))
        for one in CHARACTERS
        if (stream_safe("a" + one * 100) == "a" + one * MOST_MARKS) != is_mark(one)
    ]
    assert not wrong


@given(st.lists(st.text(max_size=5) | st.lists(MARKS, max_size=70).map("".join)).map("".join))
def test_no_run_of_marks_is_longer_than_thirty_and_nothing_else_is_cut(text):
    cut = stream_safe(text)
    runs = [len([*run]) for marks, run in groupby(cut, is_mark) if marks]
    assert max(runs, default=0) <= MOST_MARKS
    letters = [one for one in text if not is_mark(one)]
    assert [one for one in cut if not is_mark(one)] == letters


@each("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_texts_of_languages_are_normalized_as_the_standard_library_does(form):
    for text in ("Tiếng Việt", "שָׁלוֹם עֲלֵיכֶם", "ﷺ ｶﾞ ㌀ ﬃ", "བསྒྲུབས་", "é" * 100, "e\u0301" * 500):
        assert normalized(form, text) == unicodedata.normalize(form, text)


def test_what_a_reader_does_not_see_is_invisible():
    hidden = {one for one in CHARACTERS if unicodedata.category(one) == "Cf"}
    # Of the property Default_Ignorable_Code_Point: a joiner, Hangul fillers, variation selectors.
    hidden |= {"\u034f", "\u115f", "\u1160", "\u3164", "\uffa0", "\ufe0f", "\U000e0100"}
    assert {one for one in hidden if not INVISIBLE.match(one)} == set()
    assert not INVISIBLE.search(
        "".join(one for one in CHARACTERS if one.isalpha() and one not in hidden)
    )


LEGITIMATE = [
    *("A", ".", "—", "日", "한글", "e\u0301", "שָׁלוֹם", "สวัสดี", "ខ្មែរ", "\u06dd", "\ue000"),
    *(
        "👩\u200d👩\u200d👧\u200d👦",
        "👍🏽",
        "❤\ufe0f",
        "1\ufe0f\u20e3",
        "🏴\U000e0067\U000e0062\U000e007f",
    ),
    *("می\u200cخواهم", "क्\u200dष", "র\u200d্যাব", "ശ്രീ\u200c", "葛\U000e0100", "ᠮᠣᠩᠭᠣᠯ\u180b"),
    *("سلام\u200f!", "א\u200e1", "\U0001fae8", "a b"),
]
"""The last but one is an emoji that the oldest Python we run on does not know."""


@each(
    "text",
    [
        *("\u3164", "\u2800", "\u115f\u1160", "\uffa0", "\u034f", "\ufe0f", "\u17b4", "\u17b5"),
        *("\u200b", "\u200f", "\u2060", "\u2065", "\ufeff", "\U000e0041", "\U000e0fff", "\u180e"),
        *("\u0301", "\u20e3", "\u0903", "\u00ad", "\u2028", "\u3000", "\u1680", "\x07", "\ufffc"),
        *("\U0001d159", "\U00013441", "\U00016fe4", " \u200b\u0301\u2800\t\u3164", "", "\udcff"),
    ],
)
def test_a_text_of_which_a_reader_sees_nothing_is_blank(text):
    assert is_blank(text)


@each("text", LEGITIMATE)
def test_texts_of_languages_and_emoji_are_visible_and_stay_as_names(text):
    assert not is_blank(text)
    assert without_ignorable(text) == text


@each(
    ("name", "kept"),
    [
        *(("ad\u200bmin", "admin"), ("\u3164admin\u200d", "admin"), ("a\ufe0fd\u00adm", "adm")),
        *(
            ("é\u200d", "é"),
            ("e\u0301\ufe0f", "e\u0301"),
            ("Иван\u2064", "Иван"),
            ("a\u200eb", "ab"),
        ),
        *(("管理员\u200d", "管理员"), ("😀\U000e0061", "😀"), ("علی\u200c\u200cر", "علی\u200cر")),
        *(
            ("x\U000e0061", "x"),
            ("1\ufe0f", "1"),
            ("가\u3164", "가"),
            ("❤\ufe0f\u200b\ufe0f", "❤\ufe0f"),
        ),
    ],
)
def test_a_name_loses_the_invisible_characters_that_change_nothing(name, kept):
    assert without_ignorable(name) == kept


def test_no_other_module_normalizes():
    package = Path(forumsvc.__file__).parent
    callers = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "unicodedata.normalize"
    }
    assert callers == {"text/unicode_forms.py"}
