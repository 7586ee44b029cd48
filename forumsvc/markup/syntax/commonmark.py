"""Small differences between Python-Markdown and CommonMark or GFM."""

import re
import string

from markdown import Markdown
from markdown.extensions.tables import TableProcessor
from markdown.inlinepatterns import AutolinkInlineProcessor, SubstituteTagInlineProcessor

_AUTOLINK = r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>"
_TWO_ROWS = re.compile(r"[^\n|]*\|[^\n]*\n[|:\- \\]*(?:\n|$)")
_BEFORE_ESCAPES = 185
_IN_PLACE_OF_AUTOLINK = 120


def add_commonmark(md: Markdown) -> None:
    """Add escapes for all punctuation, hard breaks, autolinks of every scheme, `\\|` in cells.

    It must run after the extension `tables`.
    """
    md.ESCAPED_CHARS = list(string.punctuation)
    md.inlinePatterns.register(
        SubstituteTagInlineProcessor(r"\\\n", "br"), "backslash_break", _BEFORE_ESCAPES
    )
    md.inlinePatterns.register(
        AutolinkInlineProcessor(_AUTOLINK, md), "autolink", _IN_PLACE_OF_AUTOLINK
    )
    tables: TableProcessor = md.parser.blockprocessors["table"]
    split = tables._split
    tables._split = lambda row: [cell.replace("\\|", "|") for cell in split(row)]
    test = tables.test
    # Its own test reads every line of a block even if that is clearly no table.
    tables.test = lambda parent, block: bool(_TWO_ROWS.match(block)) and test(parent, block)
