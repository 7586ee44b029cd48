"""Small differences between Python-Markdown and CommonMark or GFM."""

import re
import string
from collections.abc import Sequence
from itertools import zip_longest
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions.tables import TableProcessor
from markdown.inlinepatterns import (
    AutolinkInlineProcessor,
    AutomailInlineProcessor,
    InlineProcessor,
    SubstituteTagInlineProcessor,
)
from markdown.util import AMP_SUBSTITUTE

_AUTOLINK = r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>"
_EMAIL_AUTOLINK = r"<((?:mailto:)?[\w.!#$%&'*+/=?^`{|}~-]+@[^\W_](?:[\w.-]*[^\W_])?)>"
_TWO_ROWS = re.compile(r"[^\n|]*\|[^\n]*\n[|:\- \\]*(?:\n|$)")
_BEFORE_ESCAPES = 185
_IN_PLACE_OF_AUTOLINK = 120
_IN_PLACE_OF_AUTOMAIL = 110


class _EscapedAmpersandProcessor(InlineProcessor):
    """Keeps `\\&lt;` from being read as a character reference."""

    def handleMatch(  # noqa: N802 - Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int]:
        return f"{AMP_SUBSTITUTE}amp;", m.start(), m.end()


def add_commonmark(md: Markdown) -> None:
    """Add escapes for all punctuation, hard breaks, autolinks of every scheme, `\\|` in cells.

    It must run after the extension `tables`.
    """
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
    tables: TableProcessor = md.parser.blockprocessors["table"]
    split = tables._split
    tables._split = lambda row: [cell.replace("\\|", "|") for cell in split(row)]
    tables._build_row = lambda row, parent, align: _build_row(tables, row, parent, align)
    test = tables.test
    # Its own test reads every line of a block even if that is clearly no table.
    tables.test = lambda parent, block: bool(_TWO_ROWS.match(block)) and test(parent, block)


def _build_row(
    tables: TableProcessor, row: str, parent: Element, align: Sequence[str | None]
) -> None:
    """Build the cells of a row, also those that the heading has no column for."""
    cells = SubElement(parent, "tr")
    tag = "th" if parent.tag == "thead" else "td"
    for text, side in zip_longest(tables._split_row(row), align):
        cell = SubElement(cells, tag)
        cell.text = (text or "").strip(" ")
        if side:
            cell.set("align", side)
