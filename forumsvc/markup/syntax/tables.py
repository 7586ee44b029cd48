"""Tables as GFM 0.29 §4.10 has them: under a line of text, too, and until another block begins."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions.tables import TableProcessor

from forumsvc.markup.syntax.html_blocks import starts_html_block
from forumsvc.markup.syntax.line_search import LineSearch, lines_of

_TWO_ROWS = re.compile(
    r"(?:^|\n)(?=[^\n|]*\|)(?P<header>[^\n]*)\n"
    r"(?=[^\n|]*\|)(?=[^\n-]*-)(?P<delimiters>[ |:\\-]*)(?=\n|$)"
)
_OTHER_BLOCK = re.compile(
    r" {0,3}(?:>|(?:[-+*]|1[.)]) |#{1,6}(?: |$)|\x02wzxhzdk:|([-_*])(?: *\1){2,} *$)"
)
_IN_PLACE_OF_TABLES = 75


class _TableProcessor(TableProcessor):
    _found: re.Match[str]

    def __init__(self, tables: TableProcessor) -> None:
        super().__init__(tables.parser, tables.config)
        self._two_rows = LineSearch(_TWO_ROWS)

    def test(self, parent: Element, block: str) -> bool:
        """Return whether the first two rows of a table's form in the block are a table's."""
        match = self._two_rows.search(block)
        if match is None:
            return False
        self._found = match
        return super().test(parent, _rows(match))

    def run(self, parent: Element, blocks: list[str]) -> None:
        block = blocks.pop(0)
        result = self._found
        if before := block[: result.start()].strip("\n"):
            self.parser.parseBlocks(parent, [before])
            # The parser may have tested another block.
            super().test(parent, _rows(result))
        end = result.end()
        for line in lines_of(block, end + 1) if end < len(block) else ():
            if _OTHER_BLOCK.match(line) or starts_html_block(line):
                break
            end += 1 + len(line)
        if rest := block[end:].strip("\n"):
            blocks.insert(0, rest)
        super().run(parent, [block[result.start("header") : end]])
        if end == result.end():
            parent[-1].remove(parent[-1][-1])

    def _build_row(self, row: str, parent: Element, align: Sequence[str | None]) -> None:
        """Build the cells of a row, also those that the heading has no column for."""
        cells = SubElement(parent, "tr")
        tag = "th" if parent.tag == "thead" else "td"
        for text, side in zip_longest(self._split_row(row), align):
            cell = SubElement(cells, tag)
            cell.text = (text or "").strip(" ")
            if side:
                cell.set("align", side)

    def _split(self, row: str) -> list[str]:
        return [cell.replace("\\|", "|") for cell in super()._split(row)]


def _rows(match: re.Match[str]) -> str:
    return f"{match['header']}\n{match['delimiters']}"


def add_tables(md: Markdown) -> None:
    """Replace the processor of the extension `tables`; must run after it."""
    processors = md.parser.blockprocessors
    processors.register(_TableProcessor(processors["table"]), "table", _IN_PLACE_OF_TABLES)
