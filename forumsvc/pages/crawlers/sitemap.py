"""/sitemap.xml (sitemaps.org): an index, whose parts hold the topics by ranges of their ids."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pyramid.config import Configurator
from pyramid.renderers import render
from pyramid.response import Response

from ...clock import rfc3339
from ...errors import NotFound
from ...ids import parse_id
from ...permissions import Common
from ...queries import feeds, nodes
from ...resources.topics import Topics
from ...web.api.request import ForumRequest
from ..files import file_response
from ..page_tree import topics_page
from ..paths import absolute_url, node_path, topic_path

PART = 10_000
"""How many ids a part covers; a file may have 50,000 addresses."""
_Place = tuple[str, datetime | None]


def show_index(context: Topics, request: ForumRequest) -> Response:
    """List the parts: the nodes first, then the topics, the oldest first."""
    parts = (feeds.newest_topic_id(request.db) + PART - 1) // PART
    paths = [request.route_path("sitemap_part", part=str(one)) for one in range(parts + 1)]
    places = [(absolute_url(request, path), None) for path in paths]
    return _response(request, "sitemapindex", "sitemap", places)


def show_part(context: Topics, request: ForumRequest) -> Response:
    """List the pages of a part. Raises NotFound."""
    number = request.matchdict["part"]
    if number == "0":
        return _response(request, "urlset", "url", _nodes(request))
    part = parse_id(number)
    newest = feeds.newest_topic_id(request.db)
    if part is None or (part - 1) * PART >= newest:
        raise NotFound("There is no such part of the sitemap.")
    found = feeds.visible_between(request.db, (part - 1) * PART + 1, part * PART)
    places = (
        (absolute_url(request, topic_path(request, row.id)), row.replied_at or row.updated_at)
        for row in found
    )
    return _response(request, "urlset", "url", places)


def _nodes(request: ForumRequest) -> Iterable[_Place]:
    yield absolute_url(request, request.route_path("topics")), None
    for node in nodes.all_nodes(request.db):
        yield absolute_url(request, node_path(request, node.id)), None


def _response(request: ForumRequest, root: str, element: str, places: Iterable[_Place]) -> Response:
    shown = [(address, time and rfc3339(time)) for address, time in places]
    values: dict[str, Any] = {"root": root, "element": element, "places": shown}
    text = render("templates/sitemap.jinja2", values, request=request)
    return file_response(text.encode(), "application/xml")


def includeme(config: Configurator) -> None:
    for view, name, path in (
        (show_index, "sitemap", "/sitemap.xml"),
        (show_part, "sitemap_part", r"/sitemap-{part:\d+}.xml"),
    ):
        config.add_route(name, path, factory=topics_page)
        config.add_view(view, route_name=name, request_method="GET", permission=Common.VIEW)
