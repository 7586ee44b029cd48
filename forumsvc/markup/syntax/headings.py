"""Headings as CommonMark reads them."""

import re
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension

_HASHES = re.compile(
    r"(?:^|\n) {0,3}(?P<level>#{1,6})(?P<header>(?: +(?:\\.|[^\\\n])*?)?)(?: +#+)? *(?:\n|$)"
)
_UNDERLINE = re.compile(r" {0,3}(=+|-+) *")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:>|\x02|([-_*])(?: *\1){2,} *$)")
_BEFORE_RULES = 61


class _UnderlinedProcessor(BlockProcessor):
    """A paragraph, of any number of lines, over a line of `=` or `-`."""

    def test(self, parent: Element, block: str) -> bool:
        return self._underline(block.split("\n")) is not None

    def run(self, parent: Element, blocks: list[str]) -> None:
        lines = blocks.pop(0).split("\n")
        underline = self._underline(lines) or 0
        heading = SubElement(parent, "h1" if "=" in lines[underline] else "h2")
        heading.text = "\n".join(line.strip() for line in lines[:underline])
        if rest := "\n".join(lines[underline + 1 :]):
            blocks.insert(0, rest)

    @staticmethod
    def _underline(lines: list[str]) -> int | None:
        for number, line in enumerate(lines):
            if number and _UNDERLINE.fullmatch(line):
                return number
            if _NO_PARAGRAPH.match(line):
                return None
        return None


class HeadingsExtension(Extension):
    """Reads headings as CommonMark does."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name
        """Change one processor, replace the other; after the extension `saneheaders`."""
        md.parser.blockprocessors["hashheader"].RE = _HASHES
        md.parser.blockprocessors.register(
            _UnderlinedProcessor(md.parser), "setextheader", _BEFORE_RULES
        )
