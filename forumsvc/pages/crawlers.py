"""For search engines: /robots.txt (RFC 9309) and /sitemap.xml (sitemaps.org)."""

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import Any

from pyramid.renderers import render
from pyramid.response import Response

from ..clock import rfc3339
from ..errors import NotFound
from ..models import Topic
from ..permissions import Common
from ..queries import feeds, nodes
from ..queries.id_ranges import id_ranges
from ..resources.topics import Topics
from ..text.ids import MAX_ID, parse_id
from ..web.api.request import ForumRequest
from .files import file_response
from .page import page
from .page_context import PageContext, public_page
from .page_tree import topics_page
from .paths import absolute_url, node_path, topic_path

PART = 10_000
"""How many ids a part covers; a file may have 50,000 addresses."""
_MOST_PARTS = 49_999
"""An index may have 50,000 addresses, too."""
_SECONDS = 3600
"""How long a part with topics is kept."""
_ENTRY_BYTES = 1_500
_Place = tuple[str, datetime | None]


@page("sitemap", "/sitemap.xml", topics_page, Common.VIEW)
def show_sitemap(context: Topics, request: ForumRequest) -> Response:
    """List the parts: the nodes first, then the topics, the oldest first."""
    ranges = islice(id_ranges(request.db, Topic, PART), _MOST_PARTS)
    parts = [0, *(first // PART + 1 for first, _ in ranges)]
    paths = [request.route_path("sitemap_part", part=str(part)) for part in parts]
    places = [(absolute_url(request, path), None) for path in paths]
    return _response(request, "sitemapindex", "sitemap", places)


@page("sitemap_part", r"/sitemap-{part:\d+}.xml", topics_page, Common.VIEW)
def show_sitemap_part(context: Topics, request: ForumRequest) -> Response:
    """List the pages of a part. Raises NotFound."""
    number = request.matchdict["part"]
    if number == "0":
        return _response(request, "urlset", "url", _nodes(request))
    part = parse_id(number)
    newest = feeds.newest_topic_id(request.db)
    if part is None or (part - 1) * PART >= newest:
        raise NotFound("There is no such part of the sitemap.")
    response = file_response(_topics(request, part), "application/xml")
    response.cache_control = f"public, max-age={_SECONDS}"
    return response


def _topics(request: ForumRequest, part: int) -> bytes:
    """Return a part with topics, made at most once in an hour: it is long."""
    key, hour = ("sitemap", request.base_url, part), int(request.now.timestamp()) // _SECONDS
    cached: bytes | None = request.page_cache.get(key, hour)
    if cached is not None:
        return cached
    with request.registry.single_flight.lock((key, hour)):
        cached = request.page_cache.peek(key, hour)
        if cached is None:
            first, last = (part - 1) * PART + 1, min(part * PART, MAX_ID)
            result = feeds.visible_between(request.db, first, last)
            places = (
                (
                    absolute_url(request, topic_path(request, row.id)),
                    row.replied_at or row.updated_at,
                )
                for row in result
            )
            cached = _xml(request, "urlset", "url", places)
            request.page_cache.put(key, hour, cached, _ENTRY_BYTES + len(cached))
        return cached


def _nodes(request: ForumRequest) -> Iterable[_Place]:
    yield absolute_url(request, request.route_path("topics")), None
    for node in nodes.all_nodes(request.db):
        yield absolute_url(request, node_path(request, node.id)), None


def _response(request: ForumRequest, root: str, element: str, places: Iterable[_Place]) -> Response:
    return file_response(_xml(request, root, element, places), "application/xml")


def _xml(request: ForumRequest, root: str, element: str, places: Iterable[_Place]) -> bytes:
    shown = [(address, time and rfc3339(time)) for address, time in places]
    values: dict[str, Any] = {"root": root, "element": element, "places": shown}
    return render("templates/sitemap.jinja2", values, request=request).encode()


_DISALLOWED = (
    "/api/",
    "/oauth/",
    "/search",
    "/login",
    "/signup",
    "/password/",
    "/topics/new",
    "/topics/*/replies",
    "/topics/*/likes",
    "/replies/*/likes",
)


@page("robots", "/robots.txt", public_page, Common.VIEW)
def show_robots(context: PageContext, request: ForumRequest) -> Response:
    sitemap = absolute_url(request, request.route_path("sitemap"))
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in _DISALLOWED)]
    text = "\n".join([*lines, "", f"Sitemap: {sitemap}", ""])
    return file_response(text.encode(), "text/plain")
