"""HTML in Markdown, by the rules of CommonMark 0.31.2 §4.6 and §6.6.

Markdown continues after a blank line inside `<details>` or `<div>`, which Python-Markdown's own
HTML parser does not support. Only what authors may write is HTML (`html_tags`), the rest is text:
`<none>` and invalid tags within Markdown; a block of `<script>` or a comment without it.
"""

import re
from html import escape
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor
from markdown.inlinepatterns import HtmlInlineProcessor

from forumsvc.markup.html_tags import BLOCK_TAGS, SPACE, TAG
from forumsvc.markup.syntax.line_search import LineSearch

_UNTIL_END_MARKER = [
    (re.compile(rf"(?i) {{0,3}}<(?:script|pre|style|textarea)(?:{SPACE}|>|$)"),
     re.compile(r"(?i)</(?:script|pre|style|textarea)>")),
    (re.compile(r" {0,3}<!--"), re.compile(r"-->")),
    (re.compile(r" {0,3}<\?"), re.compile(r"\?>")),
    (re.compile(r" {0,3}<![A-Za-z]"), re.compile(r">")),
]  # fmt: skip
_UNTIL_BLANK_LINE = re.compile(
    rf"(?i) {{0,3}}</?(?:{'|'.join(sorted(BLOCK_TAGS - {'pre'}))})(?:{SPACE}|/?>|$)"
)
_TAG_ALONE = re.compile(rf" {{0,3}}{TAG} *(?:\n|$)")
_TAG = re.compile(TAG)
_LINE_WITH_TAG = re.compile(r"^ {0,3}<[A-Za-z/!?]", re.MULTILINE)

_BEFORE_TABLES = 78
_IN_PLACE_OF_HTML = 90


def starts_html_block(block: str, start: int = 0) -> bool:
    """Return whether the line at `start` of a block starts an HTML block."""
    return _LINE_WITH_TAG.match(block, start) is not None and (
        any(beginning.match(block, start) for beginning, _ in _UNTIL_END_MARKER)
        or _UNTIL_BLANK_LINE.match(block, start) is not None
        or _TAG_ALONE.match(block, start) is not None
    )


class _HtmlBlockProcessor(BlockProcessor):
    def __init__(self, parser: BlockParser) -> None:
        super().__init__(parser)
        self._line_with_tag = LineSearch(_LINE_WITH_TAG)

    def test(self, parent: Element, block: str) -> bool:
        return self._line_with_tag.search(block) is not None

    def run(self, parent: Element, blocks: list[str]) -> bool | None:
        block = blocks[0]
        for line in _LINE_WITH_TAG.finditer(block):
            html = self._take_html(blocks, line.start())
            if html is not None:
                if before := block[: line.start()].strip("\n"):
                    self.parser.parseBlocks(parent, [before])
                SubElement(parent, "p").text = self.parser.md.htmlStash.store(html.lstrip(" "))
                return None
        return False

    def _take_html(self, blocks: list[str], start: int) -> str | None:
        """Remove and return the HTML that starts at `start` of the first block, or return None.

        A tag alone on its line does not interrupt a paragraph.
        """
        block = blocks[0]
        for beginning, end in _UNTIL_END_MARKER:
            if beginning.match(block, start):
                html = self._take_until(end, blocks, start)
                return html if html is None or _TAG.match(html.lstrip(" ")) else _as_text(html)
        alone = not block[:start].strip("\n") and _TAG_ALONE.match(block, start)
        if alone or _UNTIL_BLANK_LINE.match(block, start):
            return blocks.pop(0)[start:]
        return None

    @staticmethod
    def _take_until(end: re.Pattern[str], blocks: list[str], start: int) -> str | None:
        for number, block in enumerate(blocks):
            match = end.search(block, 0 if number else start)
            if match:
                line_end = block.find("\n", match.end())
                line_end = len(block) if line_end < 0 else line_end
                blocks_before = [*blocks[:number], block[:line_end]]
                rest = block[line_end:].strip("\n")
                blocks[: number + 1] = [rest] if rest else []
                return "\n\n".join(blocks_before)[start:]
        return None


def _as_text(html: str) -> str:
    """Return a paragraph that shows HTML. Code in it is a placeholder already, which stays."""
    return f"<p>{escape(html, quote=False)}</p>".replace("\n", "<br>\n")


def add_html_blocks(md: Markdown) -> None:
    """Replace Python-Markdown's processors."""
    md.preprocessors.deregister("html_block")
    md.parser.blockprocessors.register(_HtmlBlockProcessor(md.parser), "html", _BEFORE_TABLES)
    md.inlinePatterns.register(HtmlInlineProcessor(f"({TAG})", md), "html", _IN_PLACE_OF_HTML)
