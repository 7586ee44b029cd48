"""Keeps emphasis out of mentions: `@_ann_` and `@a__b__c` are logins."""

import re

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor

_MENTION = r"(?<![\w@/+])@[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
_BEFORE_EMPHASIS = 175
"""After code spans, escapes, links and raw HTML; before emphasis in Python-Markdown's order."""


class _MentionTokenProcessor(InlineProcessor):
    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int]:
        return m[0], m.start(), m.end()


def add_mention_tokens(md: Markdown) -> None:
    """Parse a mention as a single token."""
    md.inlinePatterns.register(_MentionTokenProcessor(_MENTION, md), "login", _BEFORE_EMPHASIS)
