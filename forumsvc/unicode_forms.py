"""The forms of Unicode texts in which they are compared, made in linear time.

Normalization sorts the combining marks that follow a letter, and the sort takes the square of their
number: 64,000 marks on one letter take seconds, in which no other thread runs. So longer runs of
marks are cut before, as the Stream-Safe Text Format does (UAX #15, section 13). No language has
so many marks on one letter.
"""

import re
import unicodedata
from functools import cache
from typing import Literal

MOST_MARKS = 30
"""Combining marks that a letter keeps."""
_CODES_OF_MARKS = range(0x300, 0x1F000)
"""Where all of them are; to look at the whole of Unicode takes 0.1 s."""

INVISIBLE_CHARACTERS = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""As in a character class: the category Cf and the property Default_Ignorable_Code_Point (UAX #44).

They may stand in the middle of a word, and a reader does not see them.
"""
INVISIBLE = re.compile(f"[{INVISIBLE_CHARACTERS}]")

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


def normalized(form: Form, text: str) -> str:
    """Return a text in a normal form, without the marks of a letter after the first 30."""
    return unicodedata.normalize(form, text if text.isascii() else stream_safe(text))


def stream_safe(text: str) -> str:
    """Return a text without the marks of a letter after the first 30."""
    mark, long_run = _patterns()
    # Of each longer run, one character is among these. To look through all takes 30 times as long.
    if not mark.search(text[::MOST_MARKS]):
        return text
    return long_run.sub(r"\1", text)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what matches a mark, and a run of more than 30."""
    marks = "".join(f"{first}-{last}" for first, last in _ranges_of_marks())
    return re.compile(f"[{marks}]"), re.compile(f"([{marks}]{{{MOST_MARKS}}})[{marks}]+")


def _ranges_of_marks() -> list[tuple[str, str]]:
    """Return the ranges of the characters that normalization sorts or turns into such ones."""
    ranges: list[tuple[str, str]] = []
    for code in _CODES_OF_MARKS:
        character = chr(code)
        if not unicodedata.combining(unicodedata.normalize("NFKD", character)[0]):
            continue
        if ranges and ord(ranges[-1][1]) == code - 1:
            ranges[-1] = (ranges[-1][0], character)
        else:
            ranges.append((character, character))
    return ranges
