"""Parses block quotes as CommonMark does: a blank line or another block ends a quote."""

import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockQuoteProcessor

from forumsvc.markup.syntax.line_search import LineSearch

_OTHER_BLOCK = re.compile(
    r"^ {0,3}(?:[-+*] |1[.)] |#{1,6} |\x02wzxhzdk:|([-_*])(?: *\1){2,} *$)", re.MULTILINE
)
_IN_PLACE_OF_QUOTES = 20


class _QuoteProcessor(BlockQuoteProcessor):
    def __init__(self, parser: BlockParser) -> None:
        super().__init__(parser)
        self.RE = LineSearch(BlockQuoteProcessor.RE)

    def run(self, parent: Element, blocks: list[str]) -> None:
        block = blocks[0]
        quote = self.RE.search(block)
        other = _OTHER_BLOCK.search(block, quote.end()) if quote else None
        if other:
            blocks[:1] = [block[: other.start()].rstrip("\n"), block[other.start() :]]
        super().run(parent, blocks)

    def lastChild(self, parent: Element) -> Element | None:  # noqa: N802 - Markdown's name
        """Return None, so that a quote never continues the one before it."""
        return None


def add_quotes(md: Markdown) -> None:
    """Replace Python-Markdown's processor."""
    md.parser.blockprocessors.register(_QuoteProcessor(md.parser), "quote", _IN_PLACE_OF_QUOTES)
