"""Words that texts must not contain."""

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

from ...unicode_forms import INVISIBLE, normalized, stream_safe

FROM_FILE = "file:"
_ZEROS = re.compile(r"&#0+(?=\d)")
_TOO_LARGE = re.compile(r"&#\d{8,};?")
"""No character has such a number, and Python converts none of more than 4,300 digits."""
_LIGATURES = re.compile("([\ufdfa\ufdfb])[\ufdfa\ufdfb]+")
"""Runs of phrases in one character, of which NFKC makes 18 letters and 8; no other has so many."""


class ForbiddenWords:
    """A list of words and phrases to search for.

    The search ignores case, the width of letters (NFKC) and invisible characters. It finds whole
    words; in scripts without blanks between words, it finds them anywhere.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        """words: as an admin writes them; empty ones are ignored."""
        normal = {_normal(word).strip(): word.strip() for word in words}
        self._words = {key: word for key, word in normal.items() if key}

    @classmethod
    def parse(cls, setting: str, base_dir: Path) -> Self:
        """Return the words of a setting: separated by commas, or `file:PATH`, a word a line.

        In a file, lines that begin with `#` are comments. base_dir: the base of a relative path.
        Raises OSError or UnicodeDecodeError if the file cannot be read.
        """
        if not setting.startswith(FROM_FILE):
            return cls(setting.split(","))
        lines = (
            (base_dir / Path(setting.removeprefix(FROM_FILE)).expanduser())
            .read_text(encoding="utf-8")
            .splitlines()
        )
        return cls(line for line in lines if not line.startswith("#"))

    def __bool__(self) -> bool:
        return bool(self._words)

    def find_in(self, text: str) -> str | None:
        """Return a forbidden word in the text, as the admin wrote it, or None."""
        return next(self._find(text), None)

    def all_in(self, text: str) -> set[str]:
        """Return all forbidden words in the text, as the admin wrote them."""
        return {*self._find(text)}

    def _find(self, text: str) -> Iterator[str]:
        normal = _normal(text)
        return (word for key, word in self._words.items() if _contains(normal, key))


def decode_references(source: str) -> str:
    """Return Markdown with the characters that `&amp;` and `&#64;` stand for."""
    return html.unescape(_TOO_LARGE.sub("\ufffd", _ZEROS.sub("&#", source)))


def _normal(text: str) -> str:
    if not text.isascii():
        # Before: an invisible character may stand between a letter and its mark.
        text = normalized("NFKC", _LIGATURES.sub(r"\1", INVISIBLE.sub("", stream_safe(text))))
    return " ".join(text.casefold().split())


def _contains(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (
            _is_inside_word(text[at - 1 : at], word[0])
            or _is_inside_word(word[-1], text[end : end + 1])
        ):
            return True
        at = text.find(word, at + 1)
    return False


def _is_inside_word(left: str, right: str) -> bool:
    """Return whether two characters belong to one word; letters without case never do."""
    return _is_word_character(left) and _is_word_character(right)


def _is_word_character(character: str) -> bool:
    return character.isdigit() or character.lower() != character.upper()
