"""Converts fenced code in the form of CommonMark to the form that superfences accepts."""

import re
from collections.abc import Iterator
from functools import partial

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor
from markdown.preprocessors import Preprocessor
from pymdownx.superfences import SuperFencesBlockPreprocessor, SuperFencesCodeBlockProcessor

_OPENING = re.compile(r"( *)(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)")
_LANGUAGE = re.compile(
    r"(?:([A-Za-z0-9_#.+-]+)(?:[,:&\\][!-~]*)?)?"
    r"(?:[ \t]*+(?:\{[^}]*\}|[\w-]+=(?:\"[^\"]*\"|\S+)|[^\w\s{]++))*+[ \t]*"
)
"""An info string: a language, and perhaps attributes for other programs."""
_IN_ITEM = re.compile(r"( *(?:[-+*]|[0-9]{1,9}[.)]) {1,4})((?:`{3,}(?=[^`]*$)|~{3,}).*)")
_MARKER = re.compile(r" *(?:[-+*]|[0-9]{1,9}[.)])(?: +|$)")
_STASHED_LINE = re.compile(r"^ *\x02wzxhzdk:[0-9]+\x03 *$\n?", re.MULTILINE)
_BEFORE_SUPERFENCES = 40
_BEFORE_HEADINGS = 62
_MAX_INDENT = 3
_QUOTED = re.compile(r"( {0,3}>)")
_FENCE = re.compile(r"```|~~~")
_INDENTED_LINES = re.compile(r"(?: {4}.*\n?)*")
_MAX_QUOTES = 32
"""Quotes in quotes. Fences in more of them are left to superfences."""


class _FencedCodePreprocessor(Preprocessor):
    """Aligns a block's lines and closing fence with its opening fence; closes an unclosed block.

    Of the info string only the language is kept. What is no info string is the first line of code,
    as in "```SELECT * FROM topics".
    """

    def run(self, lines: list[str]) -> list[str]:
        return self._run(lines, _MAX_QUOTES)

    def _run(self, lines: list[str], max_quotes: int) -> list[str]:
        out: list[str] = []
        items = _Items()
        rest = _Lines(_split_item_lines(lines))
        for line in rest:
            items.add(line)
            quoted = _QUOTED.match(line) if max_quotes else None
            if quoted:
                quote = [line, *rest.starting_with(quoted[1])]
                out += self._run_quote(quote, quoted[1], max_quotes - 1)
                continue
            opening = _OPENING.fullmatch(line)
            if opening is None:
                out.append(line)
                continue
            indent, fence, info = opening.groups()
            match = _LANGUAGE.fullmatch(info)
            language = (match and match[1]) or ""
            code, closed = rest.code(fence, len(indent), items.width)
            body = [] if match else [indent + info]
            body += [indent + inner[min(len(indent), _indent(inner)) :] for inner in code]
            if closed or items.width or len(indent) <= _MAX_INDENT:
                out += [f"{indent}{fence}{language}", *body, indent + fence]
            else:  # for example, a fence inside indented code
                out += [line, *(body if match else body[1:])]
        return out

    def _run_quote(self, lines: list[str], mark: str, max_quotes: int) -> list[str]:
        """Process the lines of a quote, which all begin with `mark`."""
        if not any(map(_FENCE.search, lines)):
            return lines
        inner = [line[len(mark) :].removeprefix(" ") for line in lines]
        return [f"{mark} {line}" for line in self._run(inner, max_quotes)]


class _Items:
    """The list items around a line. width: of the indentation of the innermost, 0 for none."""

    def __init__(self) -> None:
        self._widths: list[int] = []

    @property
    def width(self) -> int:
        return self._widths[-1] if self._widths else 0

    def add(self, line: str) -> None:
        """Read the next line."""
        if not line.strip():
            return
        while self._widths and self._widths[-1] > _indent(line):
            self._widths.pop()
        if marker := _MARKER.match(line):
            self._widths.append(marker.end() + (marker.end() == len(line)))


class _Lines:
    """Yields lines; some can be taken together."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._next = 0
        self._unclosed: dict[str, tuple[int, int]] = {}

    def __iter__(self) -> Iterator[str]:
        while self._next < len(self._lines):
            self._next += 1
            yield self._lines[self._next - 1]

    def starting_with(self, mark: str) -> list[str]:
        """Return the next lines that begin with a mark."""
        start = self._next
        while self._next < len(self._lines) and self._lines[self._next].startswith(mark):
            self._next += 1
        return self._lines[start : self._next]

    def code(self, fence: str, indent: int, item_width: int) -> tuple[list[str], bool]:
        """Return the lines of a fence's code, and whether a fence closes it.

        If none does, the code ends with the list item that it is in.
        """
        start = self._next
        length, max_indent = self._unclosed.get(fence[0], (len(fence) + 1, indent))
        if length > len(fence) or max_indent < indent:
            closing = re.compile(rf" *{re.escape(fence[0])}{{{len(fence)},}} *")
            for number in range(start, len(self._lines)):
                line = self._lines[number]
                if closing.fullmatch(line) and _indent(line) <= indent + _MAX_INDENT:
                    self._next = number + 1
                    return self._lines[start:number], True
            self._unclosed[fence[0]] = len(fence), indent
        end = start
        for number in range(start, len(self._lines)):
            line = self._lines[number]
            if line.strip() and _indent(line) < item_width:
                self._next = end
                return self._lines[start:end], False
            end = number + 1 if line.strip() else end
        self._next = len(self._lines)
        return self._lines[start:], False


def _split_item_lines(lines: list[str]) -> list[str]:
    """Put a fence that follows a list marker on a line of its own."""
    split_lines: list[str] = []
    for line in lines:
        item = _IN_ITEM.fullmatch(line)
        split_lines += [item[1].rstrip(), " " * len(item[1]) + item[2]] if item else [line]
    return split_lines


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _reassemble(processor: SuperFencesBlockPreprocessor, lines: list[str]) -> list[str]:
    """Replace the lines of each fence that superfences found.

    Superfences itself copies all lines for each fence; here it processes one fence at a time.
    """
    reassemble_one = type(processor).reassemble
    fences, processor.stack = processor.stack, []
    out: list[str] = []
    done = 0
    for fence, start, end in fences:
        processor.stack.append((fence, 0, 0))
        out += lines[done:start] + reassemble_one(processor, [])
        done = end
    return out + lines[done:]


def _revert_fences(code: SuperFencesCodeBlockProcessor, block: str) -> str:
    """Take back the fences in the indented code at the beginning of a block.

    Superfences itself takes back those behind it, too.
    """
    end = _INDENTED_LINES.match(block).end()  # type: ignore[union-attr]
    return str(type(code).revert_greedy_fences(code, block[:end])) + block[end:]


class _StashedBlockProcessor(BlockProcessor):
    """Separates stashed code from a paragraph that it follows without a blank line."""

    def test(self, parent: object, block: str) -> bool:
        return "\x02wzxhzdk:" in block and "\n" in block.strip("\n")

    def run(self, parent: object, blocks: list[str]) -> bool | None:
        match = _STASHED_LINE.search(blocks[0])
        if match is None:
            return False
        block = blocks.pop(0)
        pieces = [block[: match.start()].rstrip("\n"), match[0].strip(), block[match.end() :]]
        blocks[:0] = [piece for piece in pieces if piece.strip("\n")]
        return None if len(blocks[0]) < len(block.strip("\n")) else False


def add_fenced_code(md: Markdown) -> None:
    """Parse fenced code as CommonMark does; must run after the extension `superfences`."""
    md.preprocessors.register(_FencedCodePreprocessor(md), "fences", _BEFORE_SUPERFENCES)
    for name in ("fenced_raw_block", "fenced_code_block"):
        superfences = md.preprocessors[name]
        superfences.reassemble = partial(_reassemble, superfences)
    parser: BlockParser = md.parser
    code = parser.blockprocessors["code"]
    code.revert_greedy_fences = partial(_revert_fences, code)
    parser.blockprocessors.register(_StashedBlockProcessor(parser), "stored", _BEFORE_HEADINGS)
