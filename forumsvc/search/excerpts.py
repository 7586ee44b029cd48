"""Titles and excerpts with the words of a query marked: escaped text, and `<mark>` alone."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from html import escape

from ..text.unicode_forms import character_border
from .matching import WordMatcher
from .normal_form import normalize_with_offsets
from .tokens import count_without_blanks

_LENGTH = 160
_DENSE_LENGTH = 80
"""Where most of the characters are of scripts without blanks, which say more with fewer."""
_MOST_OF_A_TEXT = 10_000
"""Characters of a text that are looked through."""
_PART = 2_000
"""Characters that are compared at once."""
_OVERLAP = 100
"""Characters that two parts have in common, for a word may stand at the end of the first."""
_MOST_COMPARED = 60_000
"""Characters of all texts of an answer that are compared one by one; they take about 30 ms."""
_BLANKS = re.compile(r"\s+")


def mark_title(title: str, matcher: WordMatcher) -> str:
    """Return a title as HTML, the words of the query marked."""
    return _marked(title, 0, len(title), _matches(title, matcher))


class Excerpts:
    """Makes the excerpts of one answer, with a bound on all of them together.

    When it is reached, and where only the end of a long text has the words, an excerpt is the
    beginning of the text without marks.
    """

    def __init__(self, matcher: WordMatcher) -> None:
        self._matcher = matcher
        self._compared = 0

    def excerpt(self, text: str) -> str:
        """Return the part of a text with the most words of the query as HTML, the words marked.

        Cut between words, else between characters, with `…` where something was left out.
        """
        text = _BLANKS.sub(" ", text[:_MOST_OF_A_TEXT]).strip()
        at, matches = self._first_matches(text)
        part = text[at : at + _PART]
        window = _window(part, matches, _length(part))
        start, end = (max(0, character_border(text, at + edge) - at) for edge in window)
        before = "…" if at + start else ""
        after = "…" if at + end < len(text) else ""
        return f"{before}{_marked(part, start, end, matches)}{after}"

    def _first_matches(self, text: str) -> tuple[int, list[tuple[int, int]]]:
        """Return where the first part with a match begins, and the matches in that."""
        for at in range(0, len(text), _PART - _OVERLAP):
            if self._compared >= _MOST_COMPARED:
                break
            part = text[at : at + _PART]
            if not self._matcher.may_match(part):
                continue
            self._compared += len(part)
            # What touches a border may be a part of a longer word; the next part has it whole.
            is_last = at + _PART >= len(text)
            matches = [
                (begin, end)
                for begin, end in _matches(part, self._matcher)
                if (begin or not at) and (end < len(part) or is_last)
            ]
            if matches:
                return at, matches
        return 0, []


def _matches(text: str, matcher: WordMatcher) -> list[tuple[int, int]]:
    """Return where words of the query stand: ranges that neither touch nor overlap."""
    normal, offsets = normalize_with_offsets(text)
    merged: list[tuple[int, int]] = []
    for begin, end in matcher.matches(normal):
        start, stop = offsets[begin], offsets[end]
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], stop)
        else:
            merged.append((start, stop))
    return merged


def _length(text: str) -> int:
    beginning = text[:_LENGTH]
    dense = 2 * count_without_blanks(beginning)
    return _DENSE_LENGTH if dense > len(beginning) else _LENGTH


def _window(text: str, matches: list[tuple[int, int]], length: int) -> tuple[int, int]:
    """Return the start and end of the part of `length` characters with the most matches."""
    if len(text) <= length:
        return 0, len(text)
    begins = [begin for begin, _ in matches]
    most, first = 0, 0
    for at, begin in enumerate(begins):
        count = bisect_left(begins, begin + length * 2 // 3) - at
        if count > most:
            most, first = count, begin
    start = max(0, min(first - length // 4, len(text) - length))
    end = min(len(text), start + length)
    return _at_blank(text, start, range(1, 20)), _at_blank(text, end, range(0, -20, -1))


def _at_blank(text: str, at: int, offsets: Iterable[int]) -> int:
    """Return the nearest border of a word; `at` itself if there is none."""
    if at in (0, len(text)):
        return at
    for offset in offsets:
        near = at + offset
        if 0 < near < len(text):
            if offset > 0 and text[near - 1] == " ":
                return near
            if offset <= 0 and text[near] == " ":
                return near
    return at


def _marked(text: str, start: int, end: int, matches: list[tuple[int, int]]) -> str:
    parts, at = [], start
    for begin, stop in matches:
        begin, stop = max(begin, start), min(stop, end)
        if begin < stop:
            parts += [escape(text[at:begin]), "<mark>", escape(text[begin:stop]), "</mark>"]
            at = stop
    return "".join([*parts, escape(text[at:end])])
