"""The plain text of sanitized HTML."""

import html as html_text
import re

_TAG = re.compile(r'</?([a-z][a-z0-9]*)(?:[^">]++|"[^"]*+")*+>')
_INLINE = frozenset(
    {
        *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd"),
        *("mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time"),
        *("tt", "u", "var", "wbr"),
    }
)


def text_content(html: str) -> str:
    """Return the text of sanitized HTML; block elements and images become spaces."""
    return html_text.unescape(_TAG.sub(_gap, html))


def _gap(tag: re.Match[str]) -> str:
    return "" if tag[1] in _INLINE else " "
