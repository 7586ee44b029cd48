"""The normal form of texts, in which words are compared: `Café`, `CAFE` and `cafe` are one."""

import re
import unicodedata
from functools import lru_cache

from ..text.unicode_forms import INVISIBLE, INVISIBLE_CHARACTERS, normalized, stream_safe

_MARKS = r"\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_LATIN_OR_GREEK = (
    r"\u00aa-\u02af\u0370-\u03ff\u1d00-\u1dbf\u1e00-\u1fff\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f"
)
# Combining marks are removed from these letters only: か and が, и and й are different letters.
_MARKED = re.compile(rf"[a-z][{_MARKS}]+|[{_LATIN_OR_GREEK}][{_MARKS}]*")
# Most texts in Arabic and Hebrew are written without vowel signs; the last one stretches a word.
_VOWEL_SIGNS = (
    r"\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    r"\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u08ca-\u08e1\u08e3-\u08ff"
    r"\u0640"
)
_VOWEL_SIGN = re.compile(f"[{_VOWEL_SIGNS}]+")
# Letters of Arabic that readers take for one, by the one that stands for them: keyboards of other
# languages have another yeh, kaf or heh, and many writers leave out hamza and the dots of a last
# letter.
_SAME_LETTERS = {
    "\u0627": "\u0622\u0623\u0625\u0671",  # alef: with madda, hamza above or below, wasla
    "\u064a": "\u0649\u06cc",  # yeh: alef maksura, the Persian one
    "\u0647": "\u0629\u06c0\u06c1\u06c2\u06c3",  # heh: teh marbuta, the Urdu ones
    "\u0643": "\u06a9",  # kaf: the Persian one
    **{str(digit): f"{chr(0x660 + digit)}{chr(0x6F0 + digit)}" for digit in range(10)},
}
_LETTER = {other: letter for letter, others in _SAME_LETTERS.items() for other in others}
_OTHER_LETTER = re.compile(f"[{''.join(_LETTER)}]")

# Letters that Unicode does not decompose, in the way that people without them write them.
_PLAIN = str.maketrans(
    {"æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "ł": "l", "œ": "oe", "ŧ": "t"}
    | {"\u0131": "i"}
)

_MAX_KEY = 100
# A character with what is composed with it: marks, voicing marks, and the letters of Hangul.
_CHARACTER = re.compile(
    rf"[\s\S][{_MARKS}{_VOWEL_SIGNS}\uff9e\uff9f\u3099\u309a\u1160-\u11ff{INVISIBLE_CHARACTERS}]*"
)


def normalize(text: str) -> str:
    """Return the normal form: NFKC, without case, invisible characters and marks.

    Marks and strokes are removed from Latin and Greek letters, ligatures are two letters, vowel
    signs of Arabic and Hebrew are left out, and letters of Arabic that readers take for one are
    one.
    """
    if text.isascii():
        return text.lower()
    # An invisible character may stand between a letter and its mark. What is cut before costs less.
    visible = INVISIBLE.sub("", stream_safe(text))
    # A second time, because casefold may return what is not in NFKC.
    folded = normalized("NFKC", visible).casefold()
    unvocalized = _OTHER_LETTER.sub(_one_letter, _VOWEL_SIGN.sub("", folded))
    plain = normalized("NFKC", unvocalized)
    return _MARKED.sub(_without_marks, plain)


def name_key(name: str) -> str:
    """Return the normal form of a person's name, cut to what an index takes."""
    return normalize(name)[:_MAX_KEY]


def normalize_with_offsets(text: str) -> tuple[str, list[int]]:
    """Return the normal form, and for each of its characters the offset in `text`.

    The list has one more offset, that of the end of the text.
    """
    if text.isascii():
        return normalize(text), list(range(len(text) + 1))
    parts, offsets = [], []
    for item in _CHARACTER.finditer(text):
        part = _normal_character(item[0])
        parts.append(part)
        offsets += [item.start()] * len(part)
    return "".join(parts), [*offsets, len(text)]


@lru_cache(20_000)
def _normal_character(character: str) -> str:
    return normalize(character)


def _one_letter(match: re.Match[str]) -> str:
    return _LETTER[match[0]]


def _without_marks(match: re.Match[str]) -> str:
    decomposed = normalized("NFD", match[0])
    letters = "".join(item for item in decomposed if not unicodedata.combining(item))
    return letters.translate(_PLAIN)
