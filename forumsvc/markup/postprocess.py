"""Adds to an author's sanitized HTML: links of post numbers (`#12`), and `rel` on external links.

The post number of a reply is its place in the topic: `#12` is the twelfth reply. In Chinese forums
that is a "floor", which is why the anchors and the CSS class in stored HTML are called so.
"""

import html as html_text
import re
from urllib.parse import unquote, urlsplit

from forumsvc.markup.html_nodes import Node, nodes
from forumsvc.markup.html_tags import ID_PREFIX
from forumsvc.markup.link_schemes import with_scheme
from forumsvc.markup.sanitizer import FOREIGN_REL

_POST_NUMBER = re.compile(r"(?<![\w#/&])#([1-9][0-9]{0,4})(?![\w#]|[.-]\w|\ufe0f?\u20e3)", re.ASCII)
"""Not the `#1` of an emoji: a keycap."""
MAX_POST_NUMBERS = 500
"""That become links in one text: each is twenty times as long as its number."""
_TRIGGERS = ("#", "<a ", "<input ")
"""Where none of these is, nothing is to be added."""
_POST_NUMBER_LINK = r'<a href="#floor-\1" class="floor-reference">#\1</a>'
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
_IGNORED_IN_URL = re.compile(r"[\t\n\r]")
_C0_AND_SPACE = "".join(map(chr, range(0x21)))


def postprocess(html: str, own_host: str) -> str:
    """Return sanitized HTML with post numbers linked and external links marked.

    `#12` outside links and code becomes `<a href="#floor-12" class="floor-reference">`. A link to
    another host than `own_host` (`host` or `host:port`, lower case; empty if unknown) gets `rel`;
    a link to a heading of the same text gets the prefix of that heading's id.
    """
    if not any(trigger in html for trigger in _TRIGGERS):
        return html
    left = MAX_POST_NUMBERS
    ids = set(re.findall(rf'<h[1-6] id="{ID_PREFIX}([^"]*)"', html))

    def postprocess_node(node: Node) -> str:
        nonlocal left
        if node.tag == "a":
            return _link(node, own_host, ids)
        if node.tag == "input":
            return _task_checkbox(node)
        if left and node.prose and "#" in node.source:
            html, count = _POST_NUMBER.subn(_POST_NUMBER_LINK, node.source, left)
            left -= count
            return html
        return node.source

    return "".join(map(postprocess_node, nodes(html)))


def _link(node: Node, own_host: str, ids: set[str]) -> str:
    attributes = dict(_ATTRIBUTE.findall(node.attributes))
    attributes.pop("rel", None)
    href = with_scheme(attributes.get("href", ""))
    if href:
        attributes["href"] = href
    name = unquote(href[1:]).lower() if href[:1] == "#" else ""
    if name in ids:
        attributes["href"] = f"#{ID_PREFIX}{name}"
    elif href and _is_foreign(html_text.unescape(href), own_host):
        attributes["rel"] = FOREIGN_REL
    return "<a" + "".join(f' {name}="{value}"' for name, value in attributes.items()) + ">"


def _task_checkbox(node: Node) -> str:
    """Return a task's checkbox with its attributes in a fixed order: nh3 adds them in any order."""
    checked = ' checked=""' if 'checked=""' in node.attributes else ""
    return f'<input type="checkbox" disabled=""{checked}>'


def _is_foreign(url: str, own_host: str) -> bool:
    """Return whether a browser would open another host (WHATWG URL: `\\` reads as `/`)."""
    url = _IGNORED_IN_URL.sub("", url).strip(_C0_AND_SPACE).replace("\\", "/")
    try:
        parts = urlsplit(url)
    except ValueError:
        return True
    if parts.scheme in {"http", "https"} or parts.netloc:
        # A browser reads `https:host` as `https://host`.
        return not parts.netloc or parts.netloc.lower() != own_host
    return url.startswith("//")
