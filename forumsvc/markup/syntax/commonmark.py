"""Small differences between Python-Markdown and CommonMark or GFM."""

import re
import string
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.blockprocessors import BlockProcessor
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
_IN_PLACE_OF_PARAGRAPH = 10


class _ParagraphProcessor(BlockProcessor):
    """Keeps the ideographic and no-break spaces that begin a paragraph: they are its indent."""

    def test(self, parent: Element, block: str) -> bool:
        return True

    def run(self, parent: Element, blocks: list[str]) -> None:
        block = blocks.pop(0)
        if block.strip():
            SubElement(parent, "p").text = block.lstrip(" \t\n")


class _EscapedAmpersandProcessor(InlineProcessor):
    """Keeps `\\&lt;` from being read as a character reference."""

    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int]:
        return f"{AMP_SUBSTITUTE}amp;", m.start(), m.end()


def add_commonmark(md: Markdown) -> None:
    """Add escapes for all punctuation, hard breaks, indents, autolinks of every scheme."""
    md.parser.blockprocessors.register(
        _ParagraphProcessor(md.parser), "paragraph", _IN_PLACE_OF_PARAGRAPH
    )
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
