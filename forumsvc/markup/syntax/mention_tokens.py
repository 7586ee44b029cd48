"""Keeps emphasis out of logins: `@_ann_` and `@a__b__c` are people."""

import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

_MENTION = r"(?<![\w@/+])@[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
_BEFORE_EMPHASIS = 175
"""After code spans, escapes, links and raw HTML; before emphasis in Python-Markdown's order."""


class _MentionTokenProcessor(InlineProcessor):
    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int]:
        return m[0], m.start(), m.end()


class MentionTokensExtension(Extension):
    """Takes a login as one word."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name
        """Register the pattern."""
        md.inlinePatterns.register(_MentionTokenProcessor(_MENTION, md), "login", _BEFORE_EMPHASIS)
