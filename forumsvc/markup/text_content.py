"""The plain text of sanitized HTML."""

import html as html_text
import re

_TAG = re.compile(r'</?([a-z][a-z0-9]*)(?:[^">]++|"[^"]*+")*+>')
_DETAILS = re.compile(r'<(/?)details((?:[^">]++|"[^"]*+")*+)>')
_SUMMARY = re.compile(r'\s*<summary(?:[^">]++|"[^"]*+")*+>(.*?)</summary>', re.DOTALL)
_CUT_REFERENCE = re.compile(r"&[#0-9A-Za-z]*\Z")
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


def text_of_cut_html(html: str) -> str:
    """Return the text of the beginning of sanitized HTML, which may end within a tag.

    A half tag or character reference at the end is left out.
    """
    # In a text `<` is escaped, so what is left of it begins the tag that was cut.
    whole = _TAG.sub(_gap, html).partition("<")[0]
    return html_text.unescape(_CUT_REFERENCE.sub("", whole))


def without_details(html: str) -> str:
    """Return sanitized HTML, which may be cut, without what closed `<details>` hide.

    Of each outermost one its summary stays, where that is the first in it.
    """
    if "<details" not in html:
        return html
    visible, depth, end = [], 0, 0
    for tag in _DETAILS.finditer(html):
        closing, attributes = tag.groups()
        if closing:
            if depth == 1:
                end = tag.end()
            depth = max(depth - 1, 0)
        elif depth or ' open="' not in attributes:
            if not depth:
                visible.append(html[end : tag.start()])
                if summary := _SUMMARY.match(html, tag.end()):
                    visible.append(summary[1].partition("<details")[0])
            depth += 1
    if not depth:
        visible.append(html[end:])
    return " ".join(visible)


def _gap(tag: re.Match[str]) -> str:
    return "" if tag[1] in _INLINE else " "
