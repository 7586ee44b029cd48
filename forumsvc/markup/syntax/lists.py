"""Parses lists as CommonMark does: after a paragraph, nested by the width of their marker.

Python-Markdown requires a blank line before a list and four columns to nest; authors expect
neither.
"""

import re
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.blockprocessors import BlockProcessor

from forumsvc.markup.syntax.html_blocks import starts_html_block
from forumsvc.markup.syntax.line_search import MIN_CACHED_LENGTH
from forumsvc.markup.syntax.link_definitions import DefinitionText

_MARKER = re.compile(r"( {0,3})([-+*]|[0-9]{1,9}[.)])(?:( +)(.*)|)")
_THEMATIC_BREAK = re.compile(r" {0,3}([-_*])(?: *\1){2,} *")
_INTERRUPTION = re.compile(r"^ {0,3}(?:[-+*]|1[.)]) +[^ \n]", re.MULTILINE)
_OTHER_BLOCK = re.compile(r" {0,3}(?:#{1,6}(?: |$)|>|\x02wzxhzdk:)")
_NO_PARAGRAPH = re.compile(r"(?: {0,3}> ?)*+ {0,3}(?:#{1,6}(?: |$)|\x02wzxhzdk:|$)")
_UNDERLINE = re.compile("=+ *")
_CODE_INDENT = 4
_MAX_DEPTH = 32
_AFTER_INDENTED_CODE = 79


class _LineReader:
    """Reads the lines of blocks one by one, with a blank line between two blocks."""

    def __init__(self, blocks: list[str]) -> None:
        self._blocks = blocks
        self._block: str | None = None
        self._start = 0

    def next(self) -> str | None:
        """Return the next line, None after the last."""
        if self._block is None:
            if not self._blocks:
                return None
            self._block, self._start = self._blocks.pop(0), 0
        if self._start > len(self._block):
            self._block = None
            return ""
        end = self._block.find("\n", self._start)
        line = self._block[self._start : end if end >= 0 else len(self._block)]
        self._start += len(line) + 1
        return line

    def unread(self, line: str | None) -> None:
        """Put back the last line together with the rest of its block."""
        if line is not None and self._block is not None:
            self._blocks.insert(0, self._block[self._start - len(line) - 1 :].strip("\n"))


class _Item:
    """A list item that is being parsed: its lines, without marker and indentation."""

    def __init__(self, marker: re.Match[str]) -> None:
        indent, label, blanks, first = marker.groups()
        self.kind = label[-1]
        self.number = label[:-1]
        blanks = blanks or " "
        if not first:
            blanks = " "
        elif len(blanks) > _CODE_INDENT:
            first = blanks[1:] + first
            blanks = " "
        self.width = len(indent) + len(label) + len(blanks)
        self.lines = [first or ""]

    @property
    def is_loose(self) -> bool:
        """Whether a blank line separates two blocks of the item itself, not of a nested list."""
        in_list = False
        lines = self.lines if self.lines[0] else self.lines[1:]
        for line, before in zip(lines[1:], lines, strict=False):
            marker = bool(_MARKER.fullmatch(line))
            if line and not before and not in_list:
                return True
            if line and not before and not marker and _indent(line) < 2:
                return True
            in_list = marker or (in_list and (not line or _indent(line) >= 2 or bool(before)))
        return False


def _line_at(block: str, start: int) -> str:
    end = block.find("\n", start)
    return block[start : end if end >= 0 else len(block)]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _match_marker(line: str) -> re.Match[str] | None:
    return None if _THEMATIC_BREAK.fullmatch(line) else _MARKER.fullmatch(line)


class ListProcessor(BlockProcessor):
    """Bullet and ordered lists."""

    _depth = 0
    _without_list = ""
    """The last block in which no list begins: in what ends it, one can only on the first line."""

    def test(self, parent: Element, block: str) -> bool:
        """Return whether a list starts the block or interrupts its paragraph."""
        return self._depth < _MAX_DEPTH and self._find_start(block) is not None

    def run(self, parent: Element, blocks: list[str]) -> None:
        """Parse the whole list and remove it from the blocks."""
        block = blocks.pop(0)
        beginning = self._find_start(block) or 0
        if before := block[:beginning].strip("\n"):
            self.parser.parseBlocks(parent, [before])
        blocks.insert(0, block[beginning:])
        items, loose = self._parse_items(_LineReader(blocks))
        self._depth += 1
        try:
            self._append(parent, items, loose)
        finally:
            self._depth -= 1

    def _find_start(self, block: str) -> int | None:
        start = len(block) - len(block.lstrip("\n"))
        if _match_marker(_line_at(block, start)):
            return start
        if starts_html_block(block, start) or self._without_list.endswith(block):
            return None
        for match in _INTERRUPTION.finditer(block):
            if _match_marker(_line_at(block, match.start())):
                return match.start()
        if len(block) > MIN_CACHED_LENGTH:
            self._without_list = block
        return None

    @staticmethod
    def _parse_items(lines: _LineReader) -> tuple[list[_Item], bool]:
        items: list[_Item] = []
        loose = False
        blanks = 0
        line = lines.next()
        while line is not None:
            item = items[-1] if items else None
            marker = _match_marker(line)
            if not line:
                blanks += 1
            elif item and _indent(line) >= item.width and (any(item.lines) or blanks == 0):
                item.lines += [*[""] * blanks, line[item.width :]]
                blanks = 0
            elif marker and (item is None or item.kind == _Item(marker).kind):
                loose = loose or (blanks > 0 and item is not None)
                items.append(_Item(marker))
                blanks = 0
            elif item and _is_lazy_continuation(item, line, blanks):
                text = line.lstrip(" ")
                item.lines.append("\\" + text if _UNDERLINE.fullmatch(text) else text)
            else:
                break
            line = lines.next()
        lines.unread(line)
        return items, loose

    def _append(self, parent: Element, items: list[_Item], loose: bool) -> None:
        loose = loose or any(item.is_loose for item in items)
        element = SubElement(parent, "ol" if items[0].number else "ul")
        if items[0].number and int(items[0].number) != 1:
            element.set("start", str(int(items[0].number)))
        for item in items:
            li = SubElement(element, "li")
            self.parser.parseChunk(li, "\n".join(item.lines))
            if not loose:
                _unwrap_paragraphs(li)


def _is_lazy_continuation(item: _Item, line: str, blanks: int) -> bool:
    """Return whether an unindented line continues the last paragraph of the item."""
    return not (
        blanks
        or not item.lines[-1]
        or _match_marker(line)
        or _THEMATIC_BREAK.fullmatch(line)
        or _OTHER_BLOCK.match(line)
        or _NO_PARAGRAPH.match(item.lines[-1])
    )


def _unwrap_paragraphs(li: Element) -> None:
    for number, child in reversed(list(enumerate(li))):
        text = child.text or ""
        if child.tag != "p" or text.startswith("\x02wzxhzdk:") or isinstance(text, DefinitionText):
            continue
        if number and li[number - 1].tag == "pre":  # the highlighter drops the text behind it
            continue
        li.remove(child)
        if number:
            li[number - 1].tail = text
        else:
            li.text = text


def add_lists(md: Markdown) -> None:
    """Replace Python-Markdown's three list processors."""
    for name in ("indent", "olist", "ulist"):
        md.parser.blockprocessors.deregister(name)
    md.parser.blockprocessors.register(ListProcessor(md.parser), "list", _AFTER_INDENTED_CODE)
