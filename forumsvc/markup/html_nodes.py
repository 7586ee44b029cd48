"""Iterates over the nodes of sanitized HTML.

nh3 writes balanced HTML in lower case, with every attribute in double quotes and every `<` in text
escaped. In such HTML, and in no other, a regular expression can separate tags from text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:[^">]++|"[^"]*+")*+)>')
_NOT_PROSE = frozenset({"a", "code", "kbd", "pre", "samp", "tt", "var"})


class Node(NamedTuple):
    """A tag, or the text up to the next tag.

    source: the HTML of the node; tag: the name of a start tag, else ""; attributes: those of a
    start tag, as HTML; prose: whether it is text outside links and code.
    """

    source: str
    tag: str = ""
    attributes: str = ""
    prose: bool = False


def nodes(html: str) -> Iterator[Node]:
    """Yield the nodes of sanitized HTML in order; their sources joined are `html`."""
    depth = 0
    end = 0
    while match := _TAG.search(html, end):
        if match.start() > end:
            yield Node(html[end : match.start()], prose=depth == 0)
        closing, tag, attributes = match.groups()
        if tag in _NOT_PROSE:
            depth += -1 if closing else 1
        yield Node(match[0], "" if closing else tag, attributes)
        end = match.end()
        if tag == "pre" and not closing:
            # Highlighted code has most of the tags in some texts, and no caller needs them.
            closed = html.index("</pre>", end)
            nested = html.find("<pre", end, closed)
            start, end = end, closed if nested < 0 else nested
            yield Node(html[start:end])
    if end < len(html):
        yield Node(html[end:], prose=depth == 0)
