"""Feeds of topics as Atom (RFC 4287) and JSON Feed 1.1, as a visitor sees them."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from html import unescape
from urllib.parse import urljoin

import orjson
from markupsafe import escape
from pyramid.renderers import render
from pyramid.response import Response

from ..clock import rfc3339
from ..db.keyset_paging import PageRequest
from ..markup.html_nodes import nodes
from ..markup.text_content import text_of_cut_html, without_details
from ..permissions import Common
from ..queries import feeds, topic_lists
from ..queries.rows import TopicListRow
from ..queries.topic_lists import TopicOrder, UserTopicOrder
from ..resources.base import Resource
from ..resources.nodes import NodeItem
from ..resources.users import UserItem
from ..text.unicode_forms import character_border
from ..web.api.request import ForumRequest
from ..web.http_cache.cache_policy import TOPIC_LIST
from .files import file_response
from .page import page
from .page_tree import node_page, topics_page, user_page
from .paths import absolute_url, feed_path, node_path, see_other, topic_path, user_path
from .post_html import post_html

_ENTRIES = 20
_LENGTH = 2_000
"""How many characters of HTML an entry has at most; of a longer text it has the beginning."""
# The versions of the lists change with the text of a topic, too.
_feed_page = partial(page, permission=Common.VIEW, cache_policy=TOPIC_LIST)
_LINK = re.compile(r' (href|src)="([^"]*)"')
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Entry:
    """A topic in a feed.

    id: stays when the site moves (RFC 4287 §4.2.6); html: its text or the beginning of it, with
    absolute addresses.
    """

    title: str
    id: str
    address: str
    author: str
    author_address: str
    node_name: str
    published: str
    updated: str
    html: str


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed.

    id: as that of an entry; address: of itself; page: of what it is made of; updated: of its newest
    entry.
    """

    title: str
    id: str
    address: str
    page: str
    updated: str
    entries: list[Entry]


@_feed_page("topics_atom", "/topics/feed.xml", topics_page)
@_feed_page("node_atom", r"/nodes/{node_id:\d+}/feed.xml", node_page)
@_feed_page("user_atom", "/users/{login}/feed.xml", user_page)
def show_atom(context: Resource, request: ForumRequest) -> Response:
    """Return the newest topics as Atom."""
    values = {"feed": _feed(context, request), "site": request.site_texts.name}
    text = _NOT_IN_XML.sub("", render("templates/atom.jinja2", values, request=request))
    return file_response(text.encode(), "application/atom+xml")


@_feed_page("topics_json", "/topics/feed.json", topics_page)
@_feed_page("node_json", r"/nodes/{node_id:\d+}/feed.json", node_page)
@_feed_page("user_json", "/users/{login}/feed.json", user_page)
def show_json(context: Resource, request: ForumRequest) -> Response:
    """Return the newest topics as a JSON Feed."""
    feed = _feed(context, request)
    body = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.page,
        "feed_url": feed.address,
        "items": [
            {
                "id": entry.id,
                "url": entry.address,
                "title": entry.title,
                "content_html": entry.html,
                "date_published": entry.published,
                "date_modified": entry.updated,
                "authors": [{"name": entry.author, "url": entry.author_address}],
                "tags": [entry.node_name],
            }
            for entry in feed.entries
        ],
    }
    return file_response(orjson.dumps(body), "application/feed+json")


@page("topics_feed", "/topics/feed", topics_page, Common.VIEW)
@page("node_feed", r"/topics/node{node_id:\d+}/feed", node_page, Common.VIEW)
@page("user_feed", "/{login}/feed", user_page, Common.VIEW)
def go_to_feed(context: Resource, request: ForumRequest) -> Response:
    """Redirect from Homeland's address of a feed."""
    return see_other(_path(context, request))


def _feed(context: Resource, request: ForumRequest) -> Feed:
    rows = _rows(context, request)
    bodies = feeds.bodies(request.db, [row.id for row in rows], _LENGTH + 1)
    site = request.site_texts.name
    if isinstance(context, NodeItem):
        title, page = f"{context.row.name} · {site}", node_path(request, context.row.id)
    elif isinstance(context, UserItem):
        login = context.row.user_login
        title, page = f"{login} · {site}", user_path(request, login)
    else:
        title, page = site, request.route_path("home")
    newest = max((row.updated_at for row in rows), default=request.now.replace(microsecond=0))
    page_url = absolute_url(request, page)
    return Feed(
        title,
        _id(request, page_url),
        absolute_url(request, request.path),
        page_url,
        rfc3339(newest),
        [_entry(request, row, bodies[row.id]) for row in rows],
    )


def _rows(context: Resource, request: ForumRequest) -> Sequence[TopicListRow]:
    page = PageRequest(0, _ENTRIES, None, None)
    if isinstance(context, UserItem):
        user_id = context.row.user_id
        return topic_lists.by_user(request.db, user_id, UserTopicOrder.RECENT, page).rows
    node_id = context.row.id if isinstance(context, NodeItem) else None
    order = TopicOrder.RECENT
    return topic_lists.forum_list(request.db, order, page, node_id=node_id, viewer_id=None).rows


def _entry(request: ForumRequest, row: TopicListRow, html: str) -> Entry:
    path = topic_path(request, row.id)
    if len(html) > _LENGTH:
        text = text_of_cut_html(without_details(html)).strip()
        html = f"<p>{escape(text[: character_border(text, len(text) - 1)].strip())}…</p>"
    address = absolute_url(request, path)
    return Entry(
        row.title,
        _id(request, address),
        address,
        row.user_login,
        absolute_url(request, user_path(request, row.user_login)),
        row.node_name,
        rfc3339(row.created_at),
        rfc3339(row.updated_at),
        _with_absolute_links(str(post_html(html, path)), address),
    )


def _id(request: ForumRequest, address: str) -> str:
    """Return the id of what has an address of this site."""
    first = request.settings["pages.feed_ids"]
    return first + address.removeprefix(request.base_url) if first else address


def _with_absolute_links(html: str, base: str) -> str:
    """Return the HTML of a post with the addresses that a browser would open on its page."""

    def absolute(link: re.Match[str]) -> str:
        with suppress(ValueError):  # an address that no browser opens either: https://[/
            return f' {link[1]}="{escape(urljoin(base, unescape(link[2])))}"'
        return link[0]

    return "".join(
        _LINK.sub(absolute, node.source) if node.tag else node.source for node in nodes(html)
    )


def _path(context: Resource, request: ForumRequest) -> str:
    if isinstance(context, UserItem):
        return f"{request.script_name}/users/{context.row.user_login}/feed.xml"
    return feed_path(request, context.row.id if isinstance(context, NodeItem) else None)
