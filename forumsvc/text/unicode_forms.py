"""The forms of Unicode texts in which they are compared, made in linear time, and what is visible.

Normalization sorts the combining marks that follow a letter, and the sort takes the square of their
number: 64,000 marks on one letter take seconds, in which no other thread runs. So longer runs of
marks are cut before, as the Stream-Safe Text Format does (UAX #15, section 13). No language has
so many marks on one letter.
"""

import re
import unicodedata
from functools import cache
from typing import Literal

import regex

_CHARACTER = regex.compile(r"\X")
_MOST_OF_A_CHARACTER = 1_000
"""Code points before a place that are looked at: no word of Unicode has so many without a blank."""

MOST_MARKS = 30
"""Combining marks that a letter keeps."""
_CODES_OF_MARKS = range(0x300, 0x1F000)
"""Where all of them are; to look at the whole of Unicode takes 0.1 s."""

_DEFAULT_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""As in a character class: the property Default_Ignorable_Code_Point (UAX #44)."""
INVISIBLE_CHARACTERS = (
    f"{_DEFAULT_IGNORABLE}\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\ufff9-\ufffb\U000110bd"
    "\U000110cd\U00013430-\U0001343f"
)
"""The same with the other characters of the category Cf.

They may stand in the middle of a word, and a reader does not see them.
"""
INVISIBLE = re.compile(f"[{INVISIBLE_CHARACTERS}]")

_IGNORABLE = re.compile(f"[{_DEFAULT_IGNORABLE}]")
# With blank Braille, note heads and hieroglyphs, and what stands for an embedded object.
_BLANK = re.compile(f"[{_DEFAULT_IGNORABLE}\u2800\ufff9-\ufffc\U00013430-\U00013442\U0001d159]")
_BLANK_CATEGORIES = frozenset(["Zs", "Zl", "Zp", "Cc", "Cs", "Mn", "Mc", "Me"])
_CASED = frozenset(["Lu", "Ll", "Lt"])
_SHAPING = re.compile("[\u180b-\u180f\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e01ef]")
"""Joiners, variation selectors and tags: they change the character that they follow."""
_JOINERS = "\u200c\u200d"
_TAG = re.compile("[\U000e0020-\U000e007f]")
_FLAG = "\U0001f3f4"
"""The emoji whose tags name a country."""
_KEYCAP = re.compile("(?<=[0-9#*])\ufe0f(?=\u20e3)")
_DIRECTION_MARKS = frozenset("\u061c\u200e\u200f")
_RIGHT_TO_LEFT = frozenset(["R", "AL"])

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


def normalized(form: Form, text: str) -> str:
    """Return a text in a normal form, without the marks of a letter after the first 30."""
    return unicodedata.normalize(form, text if text.isascii() else stream_safe(text))


def opaque_string(password: str) -> str:
    """Return a password in the form in which two are compared: OpaqueString (RFC 8265, §4.2).

    Every blank becomes a space, then NFC; neither case nor width is mapped. What the profile
    refuses (control characters, an empty text) stays.
    """
    if password.isascii():
        return password
    spaced = (" " if unicodedata.category(item) == "Zs" else item for item in password)
    return unicodedata.normalize("NFC", "".join(spaced))


def is_blank(text: str) -> bool:
    """Return whether a reader sees nothing: blanks, ignorable characters, marks without a letter.

    A character that is newer than Python's Unicode counts as visible.
    """
    return all(
        unicodedata.category(item) in _BLANK_CATEGORIES or _BLANK.match(item) for item in text
    )


def without_ignorable(name: str) -> str:
    """Return a name without the ignorable characters that change nothing of how it looks.

    Joiners, variation selectors and tags stay behind what they shape: an emoji, or a letter of a
    script without capitals. The marks of direction stay where something is written to the left.
    """
    if not _IGNORABLE.search(name):
        return name
    has_right_to_left = any(unicodedata.bidirectional(item) in _RIGHT_TO_LEFT for item in name)
    keycaps = {item.start() for item in _KEYCAP.finditer(name)}
    runs = [""]
    base = ""
    for place, character in enumerate(name):
        if not _IGNORABLE.match(character):
            if not unicodedata.category(character).startswith("M"):
                base = character
            runs.append(character)
        elif character in _DIRECTION_MARKS:
            runs += character * has_right_to_left
        elif place in keycaps or (_shapes(character, base) and character != runs[-1]):
            runs.append(character)
    return "".join(runs)


def _shapes(character: str, base: str) -> bool:
    """Return whether an ignorable character may change how the one that it follows looks."""
    kind = unicodedata.category(base or " ")
    if base.isascii() or kind in _CASED or kind == "Zs" or not _SHAPING.match(character):
        return False
    if _TAG.match(character):
        return base == _FLAG
    # Letters of Chinese, Japanese and Korean are not joined.
    return character not in _JOINERS or kind != "Lo" or unicodedata.east_asian_width(base) != "W"


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


def character_border(text: str, at: int) -> int:
    """Return the last place up to `at` between two characters as people see them (UAX #29).

    Accents, the parts of an emoji or a flag, and the letters of a Korean syllable stay together.
    """
    begin = max(text.rfind(" ", 0, at) + 1, at - _MOST_OF_A_CHARACTER)
    for character in _CHARACTER.finditer(text, begin):
        if character.end() > at:
            return int(character.start())
    return at
