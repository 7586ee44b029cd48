"""The HTML of posts as pages show it."""

import re
from math import ceil

from markupsafe import Markup

from ..markup.html_tags import ID_PREFIX

REPLIES_PER_PAGE = 50
"""How many replies a page has. Their places never change: a deleted reply keeps its own."""

MAX_PAGE_TEXT = 1_000_000
"""Characters of HTML after which a page links to its further replies."""

_FLOOR_LINK = '"#floor-'
_CHECK_BOX = '<input type="checkbox" disabled=""'
_TABLE = re.compile(r"<table(?=[ >])")
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
        html = _TABLE.sub('<div class="wide" tabindex="0"><table', html)
        html = html.replace("</table>", "</table></div>")
        html = _ALIGNED.sub(r'<\1 class="\2"', html)
    if _CHECK_BOX in html:
        # Marks, because a post is in any language.
        html = html.replace(f"{_CHECK_BOX} checked", f'{_CHECK_BOX} aria-label="☑" checked')
        html = html.replace(f"{_CHECK_BOX}>", f'{_CHECK_BOX} aria-label="☐">')
    return html


def page_of_floor(floor: int) -> int:
    """Return the page on which a reply stands. floor: its place in the topic, from 1."""
    return max(1, ceil(floor / REPLIES_PER_PAGE))


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
) -> Markup:
    """Return the HTML of a topic or reply, in which `#12` leads to the page of that reply.

    It is made accessible, too: see `accessible`.

    html: as the sandbox rendered and sanitized it; topic_path: of the topic; page: the page of the
    topic that shows it, None elsewhere; last_floor: the place of the topic's last reply, if it is
    known: a higher `#12` is no link; reply_id: of the reply, where a page shows several posts.
    """
    html = accessible(html)
    if reply_id is not None:
        html = _with_own_ids(html, reply_id)
    if _FLOOR_LINK not in html:
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
