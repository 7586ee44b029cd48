"""Parses headings and thematic breaks as CommonMark does."""

import re
from unicodedata import category
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.blockprocessors import BlockProcessor, HRProcessor
from markdown.extensions.toc import TocTreeprocessor
from markdown.treeprocessors import Treeprocessor

from forumsvc.markup.html_tags import HEADINGS, ID_PREFIX
from forumsvc.markup.syntax.line_search import LineSearch, lines_of

_ATX_HEADING = re.compile(
    r"(?:^|\n) {0,3}(?P<level>#{1,6})(?P<header>(?: +(?:\\.|[^\\\n]|\\(?=\n|$))*?)??)"
    r"(?: +#+)? *(?:\n|$)"
)
_SETEXT_UNDERLINE = re.compile(r" {0,3}(=+|-+) *")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:>|\x02|([-_*])(?: *\1){2,} *$)")
_THEMATIC_BREAK = re.compile(r"^ {0,3}([-_*])(?: *\1){2,} *$", re.MULTILINE)
_BEFORE_THEMATIC_BREAKS = 61
_IN_PLACE_OF_TOC = 5


class HeadingIds:
    """Makes the ids of a text's headings as GitHub does, for tables of contents lead to these."""

    def __init__(self) -> None:
        self._repeated: dict[str, int] = {}

    def reset(self) -> None:
        """Begin with another text."""
        self._repeated.clear()

    def __call__(self, text: str, separator: str) -> str:
        """Return the id of the next heading: its letters in lower case, of any script.

        Blanks become dashes, and other characters but `-` and `_` nothing. A repeated one gets a
        number: `usage`, `usage-1`.
        """
        slug = "".join(map(_id_character, text.strip().lower())) or "heading"
        result, number = slug, self._repeated.get(slug, 0)
        while result in self._repeated:
            number += 1
            result = f"{slug}-{number}"
        self._repeated |= {slug: number, result: self._repeated.get(result, 0)}
        return ID_PREFIX + result


def _id_character(character: str) -> str:
    if character.isspace():
        return "-"
    is_kept = character.isalnum() or character in "-_" or category(character)[0] == "M"
    return character if is_kept else ""


class _SetextHeadingProcessor(BlockProcessor):
    """A setext heading: lines of text above a line of `=` or `-`."""

    def test(self, parent: Element, block: str) -> bool:
        return self._lines(block) is not None

    def run(self, parent: Element, blocks: list[str]) -> None:
        block = blocks.pop(0)
        *lines, underline = self._lines(block) or [""]
        heading = SubElement(parent, "h1" if "=" in underline else "h2")
        heading.text = "\n".join(line.strip(" \t") for line in lines)
        if rest := block[sum(map(len, lines)) + len(lines) + len(underline) + 1 :]:
            blocks.insert(0, rest)

    @staticmethod
    def _lines(block: str) -> list[str] | None:
        """Return the lines of the heading at the start of the block, including its underline."""
        if "=" not in block and "-" not in block:
            return None
        lines: list[str] = []
        for line in lines_of(block):
            lines.append(line)
            if len(lines) > 1 and _SETEXT_UNDERLINE.fullmatch(line):
                return lines
            if _NO_PARAGRAPH.match(line):
                return None
        return None


class _HeadingIdsProcessor(Treeprocessor):
    """The extension `toc`, for texts with headings: of all others it makes an empty table."""

    def __init__(self, toc: TocTreeprocessor, md: Markdown) -> None:
        super().__init__(md)
        self._toc = toc

    def run(self, root: Element) -> None:
        if any(element.tag in HEADINGS for element in root.iter()):
            self._toc.run(root)


def add_headings(md: Markdown) -> None:
    """Change three processors and replace one; must run after `saneheaders` and `toc`."""
    toc = _HeadingIdsProcessor(md.treeprocessors["toc"], md)
    md.treeprocessors.register(toc, "toc", _IN_PLACE_OF_TOC)
    md.parser.blockprocessors["hashheader"].RE = LineSearch(_ATX_HEADING)
    rules: HRProcessor = md.parser.blockprocessors["hr"]
    rules.SEARCH_RE = LineSearch(_THEMATIC_BREAK)
    md.parser.blockprocessors.register(
        _SetextHeadingProcessor(md.parser), "setextheader", _BEFORE_THEMATIC_BREAKS
    )
