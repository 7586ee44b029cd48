"""Keeps emphasis out of mentions: `@_ann_` and `@a__b__c` are logins."""

import re

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor

_MENTION = r"(?<![\w@/+])@[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
_BEFORE_EMPHASIS = 175
"""After code spans, escapes, links and raw HTML; before emphasis in Python-Markdown's order."""
_MOST_UNDERSCORES = 3
"""That begin an emphasis: `___` is strong emphasis."""


class _MentionTokenProcessor(InlineProcessor):
    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int]:
        end = m.end() - _closing_underscores(data, m.start(), m[0])
        return data[m.start() : end], m.start(), end


def _closing_underscores(text: str, at: int, mention: str) -> int:
    """Return how many underscores at the end of a mention close an emphasis: `_thanks @ann_`."""
    trailing = len(mention) - len(mention.rstrip("_"))
    last = text.rfind("_", 0, at) + 1 if trailing else 0
    if not last or text[last].isspace():
        return 0
    opening = 1
    while opening < _MOST_UNDERSCORES and text[last - opening - 1 : last - opening] == "_":
        opening += 1
    before = text[last - opening - 1 : last - opening]
    return 0 if before.isalnum() else min(trailing, opening)


def add_mention_tokens(md: Markdown) -> None:
    """Parse a mention as a single token."""
    md.inlinePatterns.register(_MentionTokenProcessor(_MENTION, md), "login", _BEFORE_EMPHASIS)
