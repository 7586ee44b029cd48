"""Small differences between Python-Markdown and CommonMark or GFM."""

import re
import string

from markdown import Markdown
from markdown.inlinepatterns import (
    AutolinkInlineProcessor,
    AutomailInlineProcessor,
    InlineProcessor,
    SubstituteTagInlineProcessor,
)
from markdown.util import AMP_SUBSTITUTE

_AUTOLINK = r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>"
_EMAIL_AUTOLINK = r"<((?:mailto:)?[\w.!#$%&'*+/=?^`{|}~-]+@[^\W_](?:[\w.-]*[^\W_])?)>"
_BEFORE_ESCAPES = 185
_IN_PLACE_OF_AUTOLINK = 120
_IN_PLACE_OF_AUTOMAIL = 110


class _EscapedAmpersandProcessor(InlineProcessor):
    """Keeps `\\&lt;` from being read as a character reference."""

    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int]:
        return f"{AMP_SUBSTITUTE}amp;", m.start(), m.end()


def add_commonmark(md: Markdown) -> None:
    """Add escapes for all punctuation, hard breaks, autolinks of every scheme."""
    md.ESCAPED_CHARS = list(string.punctuation)
    md.inlinePatterns.register(
        SubstituteTagInlineProcessor(r"\\\n", "br"), "backslash_break", _BEFORE_ESCAPES
    )
    md.inlinePatterns.register(
        _EscapedAmpersandProcessor(r"\\&"), "escaped_ampersand", _BEFORE_ESCAPES
    )
    md.inlinePatterns.register(
        AutolinkInlineProcessor(_AUTOLINK, md), "autolink", _IN_PLACE_OF_AUTOLINK
    )
    md.inlinePatterns.register(
        AutomailInlineProcessor(_EMAIL_AUTOLINK, md), "automail", _IN_PLACE_OF_AUTOMAIL
    )
