"""Parses block quotes as CommonMark 0.31.2 §5.1: a line without `>` belongs to a quote only if it
continues a paragraph of it.
"""

import re
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockQuoteProcessor

from forumsvc.markup.syntax.html_blocks import starts_html_block
from forumsvc.markup.syntax.line_search import LineSearch, lines_of

_QUOTED = re.compile(r" {0,3}> ?")
_MARKERS = re.compile(r"(?: {0,3}(?:>|(?:[-+*]|[0-9]{1,9}[.)])(?= )) ?)*+")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:#{1,6}(?: |$)|\x02wzxhzdk:|([-_*])(?: *\1){2,} *$)")
_OTHER_BLOCK = re.compile(rf" {{0,3}}(?:[-+*]|[0-9]{{1,9}}[.)])(?: |$)|{_NO_PARAGRAPH.pattern}")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+) *$")
_DELIMITER_ROW = re.compile(r"(?=[^|]*\|)(?=[^-]*-)[ |:-]*$")
_BEFORE_HEADINGS_AND_RULES = 63


class _QuoteProcessor(BlockQuoteProcessor):
    def __init__(self, parser: BlockParser) -> None:
        super().__init__(parser)
        self.RE = LineSearch(BlockQuoteProcessor.RE)

    def run(self, parent: Element, blocks: list[str]) -> None:
        block = blocks.pop(0)
        match = self.RE.search(block)
        start = match.start() if match else 0
        if before := block[:start].strip("\n"):
            self.parser.parseBlocks(parent, [before])
        lines, end = _quoted_lines(block, start + (block[start] == "\n"))
        if rest := block[end:]:
            blocks.insert(0, rest)
        quote = SubElement(parent, "blockquote")
        self.parser.state.set("blockquote")
        self.parser.parseChunk(quote, "\n".join(lines).strip("\n"))
        self.parser.state.reset()


def _quoted_lines(block: str, start: int) -> tuple[list[str], int]:
    """Return the lines of the quote at `start`, without their `>`, and the end of the quote."""
    lines: list[str] = []
    paragraph = _Paragraph()
    for line in lines_of(block, start):
        if quoted := _QUOTED.match(line):
            lines.append(line[quoted.end() :].rstrip(" ") and line[quoted.end() :])
            paragraph.add(lines[-1])
        elif not paragraph.is_open or _OTHER_BLOCK.match(line) or starts_html_block(line):
            break
        else:
            # A lazy line is text, even if it looks like the underline of a heading.
            lines.append("\\" + line.lstrip() if _UNDERLINE.match(line) else line)
        start += len(line) + 1
    return lines, start


class _Paragraph:
    """Whether the last of some lines belongs to a paragraph, in whatever quotes and lists."""

    def __init__(self) -> None:
        self.is_open = False
        self._until_blank_line = False

    def add(self, line: str) -> None:
        """Read the next line."""
        markers = _MARKERS.match(line)
        text = line[markers.end() :] if markers else line
        if not text.strip():
            self.is_open = self._until_blank_line = False
            return
        continued = self.is_open and text == line
        if starts_html_block(text) or (continued and _DELIMITER_ROW.match(text)):
            self._until_blank_line = True
        self.is_open = not (
            self._until_blank_line
            or _NO_PARAGRAPH.match(text)
            or (continued and _UNDERLINE.match(text))
            or (not continued and text.startswith("    "))
        )


def add_quotes(md: Markdown) -> None:
    """Replace Python-Markdown's processor."""
    md.parser.blockprocessors.register(
        _QuoteProcessor(md.parser), "quote", _BEFORE_HEADINGS_AND_RULES
    )
