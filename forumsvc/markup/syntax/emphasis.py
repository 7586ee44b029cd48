"""Emphasis beside Chinese, Japanese and Korean text, as markdown-cjk-friendly defines it.

CommonMark 0.31.2 §6.2 decides by spaces and punctuation whether `**` starts or ends a span. These
scripts put no spaces between words: so beside their characters other punctuation is no obstacle,
and their own punctuation counts as letters (commonmark-spec issue 650).
"""

import re

from markdown import Markdown
from pymdownx.delimiterprocessor import PUNCT, DelimiterProcessor

CJK = (
    "\u1100-\u11ff\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\ufe00-\ufe0e\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uffdc\uffe0-\uffee"
    "\U00016fe0-\U00018dff\U0001aff0-\U0001b2ff\U00020000-\U0003fffd\U000e0100-\U000e01ef"
)
"""Ranges for `[]`: East Asian Width W, F or H but emoji; Hangul; variation selectors."""

_STASHED_START, _STASHED_END = "\x02", "\x03"
"""Around what Python-Markdown puts in the place of parsed text."""

_WORD_AHEAD = rf"(?:(?![{PUNCT}])|(?=[{CJK}]))"
_WORD_BEHIND = rf"(?:(?<![{PUNCT}])|(?<=[{CJK}]))"
_GAP_AHEAD = rf"(?=[\s{PUNCT}{CJK}{_STASHED_START}]|$)"
_GAP_BEHIND = rf"(?:(?<=[\s{PUNCT}{CJK}{_STASHED_END}])|^)"


def _run(mark: str, *, in_words: bool) -> re.Pattern[str]:
    """Return the pattern of a run of `mark`: its group is `start`, `end`, or `ambiguous` for both.

    in_words: whether a run between two letters counts, as that of `*` and unlike that of `_`.
    """
    char = re.escape(mark)
    run = f"(?<!{char}){char}+(?!{char})"
    left_flanking = rf"(?:{run}(?!\s|$){_WORD_AHEAD}|{_GAP_BEHIND}{run}(?!\s|$))"
    right_flanking = rf"(?<!^)(?<!\s)(?:{_WORD_BEHIND}{run}|{run}{_GAP_AHEAD})"
    start, end = left_flanking, right_flanking
    if not in_words:
        start = rf"(?:(?!{right_flanking})|(?<=[{PUNCT}{_STASHED_END}])){left_flanking}"
        end = rf"(?:(?!{left_flanking})|(?={run}[{PUNCT}{_STASHED_START}])){right_flanking}"
    return re.compile(f"(?P<ambiguous>(?={end}){start})|(?P<end>{end})|(?P<start>{start})")


def add_emphasis(md: Markdown) -> None:
    """Change what starts and ends a span; must run after `betterem` and `tilde`."""
    processor: DelimiterProcessor = md.inlinePatterns["delimiter"]
    for mark, delimiter in processor.delimiters.items():
        delimiter.boundary = _run(mark, in_words=mark != "_")
