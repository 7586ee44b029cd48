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

from forumsvc.markup.sanitizer import keeps_target

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


class _AutolinkProcessor(AutolinkInlineProcessor):
    """Leaves `<irc://x.example>` as text: links of its scheme are not allowed."""

    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[Element | None, int | None, int | None]:
        if keeps_target("href", self.unescape(m[1])):
            return super().handleMatch(m, data)
        return None, None, None


def add_commonmark(md: Markdown) -> None:
    """Add escapes for all punctuation, hard breaks, indents, autolinks of the allowed schemes."""
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
    md.inlinePatterns.register(_AutolinkProcessor(_AUTOLINK, md), "autolink", _IN_PLACE_OF_AUTOLINK)
    md.inlinePatterns.register(
        AutomailInlineProcessor(_EMAIL_AUTOLINK, md), "automail", _IN_PLACE_OF_AUTOMAIL
    )
