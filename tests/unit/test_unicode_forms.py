"""Unicode normalization: that of the standard library, but for endless runs of marks."""

import ast
import sys
import unicodedata
from itertools import groupby
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import forumsvc
from forumsvc.unicode_forms import INVISIBLE, MOST_MARKS, normalized, stream_safe
from tests.cases import each

CHARACTERS = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
MARKS = st.sampled_from(["\u0301", "\u0316", "\u0344", "\uff9e", "\u3099", "\U0001e8d0", "\u0f73"])


def is_mark(character: str) -> bool:
    """Return whether normalization may have to sort it."""
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) > 0


def test_every_mark_of_unicode_is_cut_and_no_other_character_is() -> None:
    wrong = [
        hex(ord(one))
        for one in CHARACTERS
        if (stream_safe("a" + one * 100) == "a" + one * MOST_MARKS) != is_mark(one)
    ]
    assert not wrong


@given(st.lists(st.text(max_size=5) | st.lists(MARKS, max_size=70).map("".join)).map("".join))
def test_no_run_of_marks_is_longer_than_thirty_and_nothing_else_is_cut(text: str) -> None:
    cut = stream_safe(text)
    runs = [len([*run]) for marks, run in groupby(cut, is_mark) if marks]
    assert max(runs, default=0) <= MOST_MARKS
    letters = [one for one in text if not is_mark(one)]
    assert [one for one in cut if not is_mark(one)] == letters


@each("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_texts_of_languages_are_normalized_as_the_standard_library_does(form: str) -> None:
    for text in ("Tiếng Việt", "שָׁלוֹם עֲלֵיכֶם", "ﷺ ｶﾞ ㌀ ﬃ", "བསྒྲུབས་", "é" * 100, "e\u0301" * 500):
        assert normalized(form, text) == unicodedata.normalize(form, text)  # type: ignore[arg-type]


def test_what_a_reader_does_not_see_is_invisible() -> None:
    hidden = {one for one in CHARACTERS if unicodedata.category(one) == "Cf"}
    # Of the property Default_Ignorable_Code_Point: a joiner, Hangul fillers, variation selectors.
    hidden |= {"\u034f", "\u115f", "\u1160", "\u3164", "\uffa0", "\ufe0f", "\U000e0100"}
    assert {one for one in hidden if not INVISIBLE.match(one)} == set()
    assert not INVISIBLE.search(
        "".join(one for one in CHARACTERS if one.isalpha() and one not in hidden)
    )


def test_no_other_module_normalizes() -> None:
    package = Path(forumsvc.__file__).parent
    callers = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "unicodedata.normalize"
    }
    assert callers == {"unicode_forms.py"}
