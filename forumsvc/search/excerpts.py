"""Titles and excerpts with the words of a query marked: escaped text, and `<mark>` alone."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from html import escape
from itertools import islice

from .matching import WordMatcher
from .normal_form import normalize_with_offsets
from .tokens import MAX_TEXT, count_without_blanks

_LENGTH = 160
_DENSE_LENGTH = 80
"""Where most of the characters are of scripts without blanks, which say more with fewer."""
_PART = 10_000
_MAX_MATCHES = 2_000
_BLANKS = re.compile(r"\s+")


def mark_title(title: str, matcher: WordMatcher) -> str:
    """Return a title as HTML, the words of the query marked."""
    return _marked(title, 0, len(title), _matches(title, matcher))


def mark_excerpt(text: str, matcher: WordMatcher) -> str:
    """Return the part of a text with the most words of the query as HTML, the words marked.

    Cut between words, with `…` where something was left out. Without a match its beginning.
    """
    text = _BLANKS.sub(" ", text[:MAX_TEXT]).strip()
    part, matches, at = text[:_PART], [], 0
    # A long text is looked through in parts, up to the first that has a word.
    for at in range(0, len(text), _PART):
        part = text[at : at + _PART]
        matches = _matches(part, matcher)
        if matches:
            break
    if not matches:
        part, at = text[:_PART], 0
    start, end = _window(part, matches, _length(part))
    before = "…" if at + start else ""
    after = "…" if at + end < len(text) else ""
    return f"{before}{_marked(part, start, end, matches)}{after}"


def _matches(text: str, matcher: WordMatcher) -> list[tuple[int, int]]:
    """Return where words of the query stand: ranges of characters that neither touch nor overlap.

    At most `_MAX_MATCHES`, the first ones.
    """
    normal, offsets = normalize_with_offsets(text)
    merged: list[tuple[int, int]] = []
    for begin, end in islice(matcher.matches(normal), _MAX_MATCHES):
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
