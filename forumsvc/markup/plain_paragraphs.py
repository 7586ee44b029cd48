"""Renders texts in which nothing means anything to Markdown: words, line breaks and mentions.

What it accepts is a small part of what the pipeline leaves as it is, and is listed as such: a
character that is not listed is left to the pipeline. It loads no Markdown library.
"""

import re

from forumsvc.markup.mentions import split_at_mentions

MAX_LENGTH = 5_000
"""Characters; a longer text is left to the pipeline, in a process that can be stopped."""

_BEYOND_ASCII = (
    "\u00a1-\u00ac\u00ae-\u061b\u061d-\u167f\u1681-\u180a\u1810-\u1fff\u200c\u200d\u2010-\u2015"
    "\u2018-\u2027\u2030-\u205e\u2070-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufefc\uff01-\uffdc"
    "\uffe0-\uffee\U0001f000-\U0001fbff\U00020000-\U0002fa1f\U00030000-\U000323af"
)
"""The letters, marks, punctuation and emoji of all scripts; no blanks, controls, surrogates."""
_ANYWHERE = rf"A-Za-z0-9\"'(!?.,;%$/{_BEYOND_ASCII}"
_WITHIN_LINE = (
    # No marker of a list, no underline of a heading.
    rf"[{_ANYWHERE}+=)-]++"
    # Two blanks may be a hard break.
    r"| (?! )"
    # No short code, no address.
    r"|:(?=[ \n]|\Z)|(?<= )@"
    # No emphasis.
    r"|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])"
)
_LINE = rf"(?![0-9]++[.)])[@{_ANYWHERE}](?:{_WITHIN_LINE})*+"
_PLAIN = re.compile(rf"(?:{_LINE}(?:\n++(?!\Z)|\Z))++")
_ADDRESS = re.compile(r"(?i:www\.)")
_BLANK_LINES = re.compile(r"\n{2,}")


def render_plain(text: str) -> list[str] | None:
    """Return what `Pipeline.render` returns for a text: HTML, login, …, HTML.

    None if the text may mean anything to Markdown.
    """
    if len(text) > MAX_LENGTH:
        return None
    text = text.replace("\r\n", "\n").strip("\n")
    if not _PLAIN.fullmatch(text) or _ADDRESS.search(text):
        return None
    paragraphs = (part.replace("\n", "<br>\n") for part in _BLANK_LINES.split(text))
    return split_at_mentions("<p>" + "</p>\n<p>".join(paragraphs) + "</p>")
