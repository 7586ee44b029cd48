"""The tokens of texts: what is indexed, and what a query asks for.

Scripts that are written without blanks (Chinese, Japanese, Korean, Thai and others) are indexed as
overlapping pairs of characters: 中文搜索 → 中文 文搜 搜索 索. So every part of a text is found, and
no dictionary decides where words end, one way in the text and another way in the query.
All other words are indexed whole, joined words as their parts and as pairs of neighboring parts:
www.example.org → www example org www.example example.org. So parts of a joined word that stand side
by side find it. Of a word with an apostrophe the parts are indexed, too: l'amour → lamour amour.

The same functions make the tokens of the index and of queries. `TOKENS_VERSION` must be raised with
every change that makes other tokens; the index is then to be made anew.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from .normal_form import normalize

TOKENS_VERSION = 5

MAX_TOKEN = 64
"""Characters; longer words are cut."""

MAX_TEXT = 65_536
"""Characters of a post that are indexed, before and after it is brought into normal form."""

MAX_BYTES = 1_000_000
"""Of the tokens of a document in UTF-8: PostgreSQL takes 1,048,575 for all. A joined word is
indexed in parts, too, and a character may have four bytes."""

# Thai, Lao, Myanmar, Khmer; Han with its extensions, Kana, Bopomofo, Hangul.
_WITHOUT_BLANKS = (
    r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0eff\u1000-\u1049\u1050-\u109f\u1100-\u11ff"
    r"\u1780-\u17d3\u17d7\u17dc-\u17e9\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096"
    r"\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\ua9e0-\ua9fe\uaa60-\uaa7f\uac00-\ud7a3"
    r"\ud7b0-\ud7fb\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U000323af"
)
# Vowel signs and other marks inside words, which are no letters for `\w`.
_SIGNS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    r"\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    r"\u0900-\u0963\u0981-\u0983\u09bc-\u09d7\u0a01-\u0a51\u0a81-\u0acd\u0b01-\u0b57\u0b82-\u0bcd"
    r"\u0c00-\u0c56\u0c81-\u0cd6\u0d00-\u0d57\u0d81-\u0ddf\u0f71-\u0f84"
)
_LETTERS = rf"(?:[a-z0-9_]++|(?![{_WITHOUT_BLANKS}])[\w{_SIGNS}])+"
_PIECE = re.compile(
    rf"(?P<run>[{_WITHOUT_BLANKS}]+)"
    rf"|{_LETTERS}(?:['\u2019\u02bc.\-]{_LETTERS})*(?:(?<=[^\W\d_])(?:\+\+?|\#))?"
)
_RUN = "run"
_RUNS = re.compile(f"[{_WITHOUT_BLANKS}]+")
_APOSTROPHES = re.compile("['\u2019\u02bc]")
_PART = re.compile(r"[^._\-]+")
"""Of a joined word."""
_SEGMENT_ENDS = re.compile(r"[.\-]+")
_NUMBERS = re.compile(r"(?<![0-9])(?=([0-9]+[._\-]+[0-9]+))")
"""7.8 and 8.9 in v7.8.9rc1."""
_VERSION = re.compile(r"^v(?=[0-9]+\.[0-9])")
_MIN_APOSTROPHE_PIECE = 2
"""Characters; the t of don't is no word."""
_MIN_PREFIX = 3


Span = tuple[str, int, int]
"""A token, and where it begins and ends in a text in normal form."""


class Term(NamedTuple):
    """What a word of a query asks for: all these tokens.

    is_prefix: the last token is the beginning of what is asked for.
    """

    tokens: tuple[str, ...]
    is_prefix: bool = False

    def parts(self) -> Iterator[tuple[str, bool]]:
        """Yield the tokens, each with whether it is the beginning of what is asked for."""
        for at, token in enumerate(self.tokens, 1):
            yield token, self.is_prefix and at == len(self.tokens)


def spans(normal: str) -> Iterator[Span]:
    """Yield the tokens of a text in normal form, one as often as it stands there."""
    for item in _PIECE.finditer(normal):
        start, end = item.span()
        word = item[0]
        if item.lastgroup == _RUN:
            for at in range(start, end - 1):
                yield normal[at : at + 2], at, at + 2
            yield normal[end - 1], end - 1, end
        elif word.isascii() and word.isalnum():
            yield word[:MAX_TOKEN], start, end
        else:
            for token in _of_word(word):
                yield token[:MAX_TOKEN], start, end


def tokens(text: str) -> list[str]:
    """Return the distinct tokens of a text, in their order."""
    return list(dict.fromkeys(token for token, _, _ in spans(_indexed(text))))


def first_bytes(listed: list[str], size: int = MAX_BYTES) -> list[str]:
    """Return the first tokens that have, with a blank behind each, at most `size` bytes."""
    left = size
    for at, token in enumerate(listed):
        left -= len(token.encode()) + 1
        if left < 0:
            return listed[:at]
    return listed


def terms(text: str) -> list[Term]:
    """Return what the words of a text ask for, each word as it stands there."""
    result = []
    for item in _PIECE.finditer(normalize(text)):
        word = item[0]
        if item.lastgroup != _RUN:
            whole = without_apostrophes(word)
            if _has_letter(whole):
                sought = _pairs(_VERSION.sub("", whole)) or [whole]
                result.append(Term(tuple(dict.fromkeys(token[:MAX_TOKEN] for token in sought))))
        elif len(word) == 1:
            result.append(Term((word,), is_prefix=True))
        else:
            pairs = dict.fromkeys(word[at : at + 2] for at in range(len(word) - 1))
            result.append(Term(tuple(pairs)))
    return result


def without_apostrophes(text: str) -> str:
    """Return a text as its tokens are made: don't → dont."""
    return _APOSTROPHES.sub("", text)


def word_sequence(text: str) -> str:
    """Return the words of a text with a blank between them, joined ones in parts."""
    words: list[str] = []
    for item in _PIECE.finditer(_indexed(text)):
        if item.lastgroup == _RUN:
            words.append(item[0])
        else:
            words += _PART.findall(without_apostrophes(item[0]))
    return " ".join(words)


def is_without_blanks(character: str) -> bool:
    """Return whether it belongs to a script that is written without blanks."""
    return count_without_blanks(character) == 1


def count_without_blanks(text: str) -> int:
    """Return how many characters of a text belong to scripts that are written without blanks."""
    return sum(map(len, _RUNS.findall(text)))


def as_prefix(term: Term) -> Term:
    """Return the term of the words that begin with this one; itself where it is too short."""
    if sum(map(str.isalpha, term.tokens[-1])) < _MIN_PREFIX:
        return term
    return term._replace(is_prefix=True)


def _indexed(text: str) -> str:
    """Return what is indexed of a text. One character may have eighteen in normal form."""
    return normalize(text[:MAX_TEXT])[:MAX_TEXT]


def _of_word(word: str) -> Iterator[str]:
    """Yield the tokens of a word that is not only letters and digits."""
    pieces = _APOSTROPHES.split(word)
    if len(pieces) > 1:
        yield from _of_joined("".join(pieces))
        pieces = [piece for piece in pieces if len(piece) >= _MIN_APOSTROPHE_PIECE]
    for piece in pieces:
        yield from _of_joined(piece)
        plain = piece.rstrip("+#")
        if plain != piece:
            yield from _of_joined(plain)


def _of_joined(word: str) -> Iterator[str]:
    """Yield a word; a joined one in pairs of parts and in parts."""
    parts = _PART.findall(word)
    if len(parts) > 1:
        yield from _pairs(word)
        yield from _NUMBERS.findall(word)
        if "_" in word:
            # Such as __init__ in self.__init__
            segments = filter(None, _SEGMENT_ENDS.split(word))
            yield from (segment for segment in segments if segment[0] == "_" or segment[-1] == "_")
    elif _has_letter(word):
        yield word
    if parts != [word]:
        yield from parts


def _pairs(word: str) -> list[str]:
    """Return the neighboring parts of a joined word, with what joins them."""
    parts = [item.span() for item in _PART.finditer(word)]
    return [word[start:end] for (start, _), (_, end) in pairwise(parts)]


def _has_letter(word: str) -> bool:
    return any(map(str.isalnum, word))
