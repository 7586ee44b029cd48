"""Words that no text may hold."""

import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Self

FROM_FILE = "file:"


class ForbiddenWords:
    """A list of words and phrases, and the search for them.

    Case, the width of letters (NFKC) and characters that nobody sees make no difference. A word is
    found where it stands by itself; in scripts that put no blanks between words, anywhere.
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        """words: as an admin writes them; empty ones are passed over."""
        normal = {_normal(word).strip(): word.strip() for word in words}
        self._words = {key: word for key, word in normal.items() if key}

    @classmethod
    def read(cls, written: str, here: Path) -> Self:
        """Return the words of a setting: separated by commas, or `file:PATH`, a word a line.

        In a file, lines that begin with `#` are comments. here: where a relative path begins.
        Raises OSError, or UnicodeDecodeError, where the file cannot be read.
        """
        if not written.startswith(FROM_FILE):
            return cls(written.split(","))
        lines = (here / written.removeprefix(FROM_FILE)).read_text(encoding="utf-8").splitlines()
        return cls(line for line in lines if not line.startswith("#"))

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._words)

    def first_in(self, text: str) -> str | None:
        """Return a forbidden word that the text holds, as the admin wrote it, or None."""
        normal = _normal(text)
        return next((word for key, word in self._words.items() if _holds(normal, key)), None)


def _normal(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return " ".join(text.casefold().split())


def _holds(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (_joins(text[at - 1 : at], word[0]) or _joins(word[-1], text[end : end + 1])):
            return True
        at = text.find(word, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Tell whether two characters are of one word; letters without case stand for words alone."""
    return _is_of_word(left) and _is_of_word(right)


def _is_of_word(character: str) -> bool:
    return character.isdigit() or character.lower() != character.upper()
