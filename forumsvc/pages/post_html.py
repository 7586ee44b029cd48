"""The HTML of posts as pages show it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import ceil

from markupsafe import Markup

from ..markup.html_tags import ID_PREFIX
from .text_direction import with_directions

REPLIES_PER_PAGE = 50
"""How many replies a page has. Their places never change: a deleted reply keeps its own."""

MAX_PAGE_TEXT = 1_000_000
"""Characters of HTML after which a page links to its further replies."""

FLOOR_LINK = '"#floor-'
_CHECK_BOX = '<input type="checkbox" disabled=""'
_TABLE = re.compile(r'<table(?=[ >])( dir="[a-z]+")?')
_ADAPTED = re.compile(r"<(?:h[1-6]|ul|ol|dl|blockquote|table)[ >]")
_ATTRIBUTES = r'(?:[^">]++|"[^"]*+")*+'
# Whole tags, because an attribute may contain what looks like one. Group 1 has all before the next
# adapted tag, or the end: a call of Python for each tag would take a tenth of a page's time.
_TAG = re.compile(
    rf"((?:[^<]++|<(?!/?(?:h[1-6]|ul|ol|dl|blockquote|table)[ >]){_ATTRIBUTES}>)*+)"
    rf"(?:<(/?)(h[1-6]|ul|ol|dl|blockquote|table)(?=[ >])({_ATTRIBUTES})>|\Z)"
)
_HEADINGS = tuple(f"h{level}" for level in range(1, 7))
_ALIGNED = re.compile(r'<(t[dh]) align="(left|right|center)"')
_FLOOR_ELEMENT = re.compile(r'<a href="#floor-([0-9]{1,9})"[^>]*>(#[0-9]+)</a>')
_FLOOR = re.compile(r'(?<=<a href=")#floor-([0-9]{1,9})(?=")')

_OF_AUTHOR = f' id="{ID_PREFIX}'
_ID = re.compile(f'{_OF_AUTHOR}([^"]*)"')
_START_TAG = re.compile(r'<[a-z](?:[^">]++|"[^"]*+")*+>')
_LINK_TO_ID = re.compile(f'(?<= href="#)(?={ID_PREFIX}([^"]*)")')


def accessible(html: str) -> str:
    """Let the keyboard scroll code and tables, and give check boxes a name (WCAG 2.1.1, 4.1.2).

    Cells are aligned by a class, because the attribute is obsolete.
    """
    if "<pre" in html:
        html = html.replace("<pre", '<pre tabindex="0"')
    if "<table" in html:
        # The table stands on the side where its text begins.
        html = _TABLE.sub(_wide_table, html)
        html = html.replace("</table>", "</table></div>")
        html = _ALIGNED.sub(r'<\1 class="\2"', html)
    if _CHECK_BOX in html:
        # Marks, because a post is in any language.
        html = html.replace(f"{_CHECK_BOX} checked", f'{_CHECK_BOX} aria-label="☑" checked')
        html = html.replace(f"{_CHECK_BOX}>", f'{_CHECK_BOX} aria-label="☐">')
    return html


def _wide_table(table: re.Match[str]) -> str:
    return f'<div class="wide"{table[1] or ""} tabindex="0">{table[0]}'


def _adapted(html: str, levels: int) -> str:
    """Put the headings of a post below those of the page; they look as they did.

    Lists, quotations and tables that have none get a direction, so that their marks and first
    columns stand where their text begins.
    levels: how many are above.
    """
    if not _ADAPTED.search(html):
        return html

    def adapt(tag: re.Match[str]) -> str:
        before, slash, name, attributes = tag.groups()
        if name in _HEADINGS:
            looks = "" if slash else f' class="{name}"'
            level = min(int(name[1]) + levels, len(_HEADINGS))
            return f"{before}<{slash}h{level}{looks}{attributes}>"
        if name and not slash and ' dir="' not in attributes:
            return f'{before}<{name} dir="auto"{attributes}>'
        return tag[0]

    return _TAG.sub(adapt, html)


def page_of_floor(floor: int) -> int:
    """Return the page on which a reply stands. floor: its place in the topic, from 1."""
    return max(1, ceil(floor / REPLIES_PER_PAGE))


def answers_by_floor(posts: Iterable[tuple[int, str]]) -> Mapping[int, Sequence[int]]:
    """Return which replies name an earlier one as `#12`: their places, by its place.

    posts: of each reply its place and its HTML, in order; empty for places that nobody names.
    """
    answers: defaultdict[int, list[int]] = defaultdict(list)
    for floor, html in posts:
        if FLOOR_LINK in html:
            named = {int(number) for number, _ in _FLOOR_ELEMENT.findall(html)}
            for earlier in named:
                if earlier < floor:
                    answers[earlier].append(floor)
    return answers


def _with_own_ids(html: str, reply_id: int) -> str:
    """Return the HTML of a reply with ids that no other post of the page has."""
    if _OF_AUTHOR not in html:
        return html
    prefix = f"reply-{reply_id}-"
    ids = {name for tag in _START_TAG.findall(html) for name in _ID.findall(tag)}

    def prefixed(tag: re.Match[str]) -> str:
        named = tag[0].replace(_OF_AUTHOR, f' id="{prefix}{ID_PREFIX}')
        return _LINK_TO_ID.sub(lambda link: prefix if link[1] in ids else "", named)

    return _START_TAG.sub(prefixed, html)


def post_html(
    html: str,
    topic_path: str,
    page: int | None = None,
    *,
    last_floor: int | None = None,
    reply_id: int | None = None,
    levels: int = 2,
) -> Markup:
    """Return the HTML of a topic or reply, in which `#12` leads to the page of that reply.

    It is made accessible, too: see `accessible` and `_adapted`.

    html: as the sandbox rendered and sanitized it; topic_path: of the topic; page: the page of the
    topic that shows it, None elsewhere; last_floor: the place of the topic's last reply, if it is
    known: a higher `#12` is no link; reply_id: of the reply, where a page shows several posts;
    levels: of headings that the page has above it.
    """
    html = _adapted(accessible(with_directions(html)), levels)
    if reply_id is not None:
        html = _with_own_ids(html, reply_id)
    if FLOOR_LINK not in html:
        return Markup(html)  # noqa: S704

    if last_floor is not None:
        html = _FLOOR_ELEMENT.sub(
            lambda match: match[0] if int(match[1]) <= last_floor else match[2], html
        )

    def link(match: re.Match[str]) -> str:
        number = page_of_floor(int(match[1]))
        if number == page:
            return match[0]
        return f"{topic_path}{f'?page={number}' if number > 1 else ''}{match[0]}"

    return Markup(_FLOOR.sub(link, html))  # noqa: S704
