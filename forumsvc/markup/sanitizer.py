"""The allow-list of attributes, with that of tags in `html_tags` all HTML that leaves this service.

Authors may write HTML in Markdown, so the output of the Markdown library is never trusted.
"""

import re

import nh3
from pygments.token import STANDARD_TYPES

from forumsvc.markup.html_tags import (
    HEADINGS,
    ID_PREFIX,
    TAGS,
    escape_other_tags,
    escape_unknown_references,
)

FOREIGN_REL = "nofollow ugc noopener"
"""The `rel` of links to other hosts; no other value is allowed."""

_REMOVED_WITH_CONTENT = {
    *("applet", "embed", "iframe", "math", "noembed", "noframes", "noscript", "object"),
    *("plaintext", "script", "select", "style", "svg", "template", "textarea", "title", "xmp"),
}
_ATTRIBUTES = {
    "*": {"title", "lang", "class"},
    "a": {"href"},
    "details": {"open"},
    "img": {"src", "alt", "width", "height"},
    "li": {"value"},
    "ol": {"start"},
    **{heading: {"id"} for heading in HEADINGS},
}
_SPANS = {str(number) for number in range(1, 101)}
_CELL = {
    "align": {"left", "center", "right"},
    "colspan": _SPANS,
    "rowspan": _SPANS,
}
_DIRECTION = {"dir": {"auto", "ltr", "rtl"}}
_ATTRIBUTE_VALUES = {
    **dict.fromkeys(("bdo", "blockquote", "div", "ol", "p", "ul"), _DIRECTION),
    "a": {"rel": {FOREIGN_REL}},
    "input": {"type": {"checkbox"}, "disabled": {""}, "checked": {""}},
    "td": _CELL,
    "th": _CELL,
}
_FORCED_ATTRIBUTES = {
    "img": {"loading": "lazy"},
    "input": {"type": "checkbox", "disabled": ""},
}
_LINK_SCHEMES = {"http", "https", "mailto"}
_AUTHOR_CLASSES = {
    "code": frozenset[str](),
    "li": frozenset({"task-list-item"}),
    "pre": frozenset({"highlight"}),
    "span": frozenset(filter(None, STANDARD_TYPES.values())),
    "ul": frozenset({"task-list"}),
}
_OUTPUT_CLASSES = _AUTHOR_CLASSES | {"a": frozenset({"floor-reference", "user-mention"})}
_LANGUAGE_CLASS = re.compile(r"language-[A-Za-z0-9+#._-]{1,40}")
_IMAGE_URL = re.compile(r"(?i)https?:|(?![a-z][a-z0-9+.-]*:)")

_MAX_PASSES = 8


class UnstableHtmlError(Exception):
    """HTML that changes every time it is sanitized."""


def _cleaner(classes: dict[str, frozenset[str]]) -> nh3.Cleaner:
    def attribute(tag: str, name: str, value: str) -> str | None:
        if name == "class":
            return _classes(tag, value)
        if name == "src" and not _IMAGE_URL.match(value):
            return None
        return value

    def _classes(tag: str, value: str) -> str | None:
        allowed = classes.get(tag, frozenset())
        names = [
            word
            for word in value.split()
            if word in allowed or (tag == "code" and _LANGUAGE_CLASS.fullmatch(word))
        ]
        return " ".join(names) or None

    return nh3.Cleaner(
        tags=TAGS,
        clean_content_tags=_REMOVED_WITH_CONTENT,
        attributes=_ATTRIBUTES,
        tag_attribute_values=_ATTRIBUTE_VALUES,
        set_tag_attribute_values=_FORCED_ATTRIBUTES,
        attribute_filter=attribute,
        url_schemes=_LINK_SCHEMES,
        link_rel=None,
        id_prefix=ID_PREFIX,
    )


_AUTHOR_CLEANER = _cleaner(_AUTHOR_CLASSES)
_OUTPUT_CLEANER = _cleaner(_OUTPUT_CLASSES)


def sanitize_author_html(html: str) -> str:
    """Return what an author wrote as safe HTML in which nothing looks like our own links.

    What is no HTML that is let through is shown as text.
    """
    return _AUTHOR_CLEANER.clean(escape_other_tags(escape_unknown_references(html)))


def keeps_target(attribute: str, url: str) -> bool:
    """Return whether a link's `href` or an image's `src` remains when it is sanitized."""
    tag = {"href": "a", "src": "img"}[attribute]
    quoted = url.replace('"', "&quot;")
    return f" {attribute}=" in _AUTHOR_CLEANER.clean(f'<{tag} {attribute}="{quoted}">')


def sanitize(html: str) -> str:
    """Return the allowed part of `html`, such that sanitizing it again changes nothing.

    Removing a tag can move the tags around it when the result is parsed again (`<a>` in `<a>`),
    so this repeats until nothing changes. Raises `UnstableHtmlError` if it never becomes stable.
    """
    for _ in range(_MAX_PASSES):
        cleaned = _OUTPUT_CLEANER.clean(html)
        if cleaned == html:
            return html
        html = cleaned
    raise UnstableHtmlError
