"""Python-Markdown, configured for the forum."""

import re
from typing import Any

from markdown import Markdown
from pymdownx.emoji import gemoji, to_alt

from forumsvc.markup.syntax.autolinks import add_autolinks
from forumsvc.markup.syntax.code_highlighting import CodeFormatter
from forumsvc.markup.syntax.code_spans import add_code_spans
from forumsvc.markup.syntax.commonmark import add_commonmark
from forumsvc.markup.syntax.emoji import add_emoji
from forumsvc.markup.syntax.emphasis import add_emphasis
from forumsvc.markup.syntax.fenced_code import add_fenced_code
from forumsvc.markup.syntax.headings import HeadingIds, add_headings
from forumsvc.markup.syntax.html_blocks import add_html_blocks
from forumsvc.markup.syntax.inline import add_inline
from forumsvc.markup.syntax.link_definitions import add_link_definitions
from forumsvc.markup.syntax.links import add_links
from forumsvc.markup.syntax.lists import add_lists
from forumsvc.markup.syntax.mention_tokens import add_mention_tokens
from forumsvc.markup.syntax.quotes import add_quotes
from forumsvc.markup.syntax.tables import add_tables

# With the vertical tab and the form feed, which word processors write for the end of a line.
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c]")
_BYTE_ORDER_MARK = "\ufeff"
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1f\x7f]")

_EXTENSIONS: dict[str, dict[str, Any]] = {
    "nl2br": {},
    "tables": {"use_align_attribute": True},
    "toc": {"marker": ""},
    "pymdownx.betterem": {},
    "pymdownx.emoji": {"emoji_index": gemoji, "emoji_generator": to_alt, "options": {}},
    "pymdownx.highlight": {"use_pygments": False},
    "pymdownx.magiclink": {},
    "pymdownx.saneheaders": {},
    "pymdownx.superfences": {
        "preserve_tabs": True,
        "relaxed_headers": True,
    },
    "pymdownx.tasklist": {},
    "pymdownx.tilde": {"subscript": False},
}
_ADDITIONS = (
    *(add_autolinks, add_code_spans, add_commonmark, add_emoji, add_emphasis, add_fenced_code),
    *(add_headings, add_html_blocks, add_link_definitions, add_links, add_lists),
    *(add_mention_tokens, add_quotes, add_tables, add_inline),
)
"""What changes Python-Markdown and the extensions, in this order."""


class MarkdownParser:
    """Converts Markdown to HTML that is not safe yet."""

    def __init__(self) -> None:
        self._format_code = CodeFormatter()
        self._heading_ids = HeadingIds()
        fence = {"name": "*", "class": "", "format": self._format_code}
        fences = _EXTENSIONS["pymdownx.superfences"] | {"custom_fences": [fence]}
        self._markdown = Markdown(
            extensions=[*_EXTENSIONS],
            extension_configs=_EXTENSIONS
            | {"pymdownx.superfences": fences, "toc": {"marker": "", "slugify": self._heading_ids}},
            output_format="html",
        )
        for add in _ADDITIONS:
            add(self._markdown)

    def convert(self, text: str) -> str:
        """Return the HTML of a Markdown text. Raises whatever Python-Markdown raises."""
        self._format_code.reset()
        self._heading_ids.reset()
        text = text.removeprefix(_BYTE_ORDER_MARK)
        text = _LINE_END.sub("\n", _CONTROL.sub("", text.replace("\0", "\ufffd")))
        return self._markdown.reset().convert(text)
