"""The lists of topics: of the forum in five orders, and of a node."""

from functools import lru_cache, partial
from itertools import groupby
from typing import Any

from markupsafe import Markup
from pyramid.renderers import render
from pyramid.response import Response

from ...markup import Renderer
from ...markup.text_content import text_content, without_details
from ...permissions import Common
from ...permissions import TopicPermission as May
from ...queries import nodes, topics
from ...queries.rows import NodeRow
from ...queries.topics import TopicOrder
from ...resources.base import Resource
from ...resources.nodes import NodeItem
from ...security.policy import decide
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ...web.http_cache.cache_policy import TOPIC_LIST
from ..languages import in_language
from ..lines import topic_lines
from ..page import page
from ..page_tree import node_page, topics_page
from ..paging import cursor_links, cursor_query, numbered_or_cursor, page_request
from ..paths import absolute_url, feed_path, node_path, see_other
from ..previews import Preview, beginning, site_picture

TABS = {
    "topics": TopicOrder.LAST_ACTIVED,
    "topics_recent": TopicOrder.RECENT,
    "topics_popular": TopicOrder.POPULAR,
    "topics_no_reply": TopicOrder.NO_REPLY,
    "topics_excellent": TopicOrder.EXCELLENT,
}
"""The five orders, by their pages, whose paths are those of Homeland."""
_FIRST_STEPS = """forumsvc -c production.ini node add General
forumsvc -c production.ini user add ada --email ada@example.org --role admin"""
_CACHE_SIZE = 200
_list_page = partial(
    page,
    permission=Common.VIEW,
    template="list",
    schema=numbered_or_cursor,
    cache_policy=TOPIC_LIST,
    tried_first=True,
)


@_list_page("home", "/", topics_page)
@_list_page("topics", "/topics", topics_page)
@_list_page("topics_recent", "/topics/last", topics_page)
@_list_page("topics_popular", "/topics/popular", topics_page)
@_list_page("topics_no_reply", "/topics/no_reply", topics_page)
@_list_page("topics_excellent", "/topics/excellent", topics_page)
@_list_page("node", r"/topics/node{node_id:\d+}", node_page)
def show(context: Resource, request: ForumRequest) -> dict[str, Any]:
    """Return the values of a page of topics."""
    node = context.row if isinstance(context, NodeItem) else None
    tab = request.matched_route.name if node is None else None
    order = TABS.get(tab or "", TopicOrder.LAST_ACTIVED)
    caller = request.caller
    result = topics.forum_list(
        request.db,
        order,
        page_request(request),
        node_id=None if node is None else node.id,
        viewer_id=caller.user_id if caller and caller.blocks else None,
    )
    summary = _summary(request, node)
    return {
        "node": node,
        "summary": summary,
        "about": _preview(request, node, summary),
        "feed": feed_path(request, None if node is None else node.id),
        "tab": "topics" if tab == "home" else tab,
        "tabs": TABS,
        "topics": topic_lines(request, result.rows),
        "nodes": _node_links(request, node),
        "first_steps": _FIRST_STEPS,
        "may_create": bool(decide(caller, context.root.topics, May.CREATE)),
        **cursor_links(request, result.cursors),
    }


def _summary(request: ForumRequest, node: NodeRow | None) -> Markup | None:
    """Return what a node is for. Raises Unavailable."""
    if node is None or not node.summary:
        return None
    return _render_summary(request.authoring.renderer, node.summary)


@lru_cache(_CACHE_SIZE)
def _render_summary(renderer: Renderer, summary: str) -> Markup:
    """Render the Markdown of a summary, of which only the source is stored."""
    # The sandbox rendered and sanitized it.
    return Markup(renderer.render(summary).html)  # noqa: S704


def _node_links(request: ForumRequest, node: NodeRow | None) -> Markup:
    """Return the links to all nodes, by their sections. node: the one whose page it is."""
    result = sorted(nodes.all_nodes(request.db), key=lambda one: one.section_id or 0)
    links = (
        (item.section_name, item.name, node_path(request, item.id), item.id) for item in result
    )
    return _render_links(tuple(links), None if node is None else node_path(request, node.id))


@lru_cache(_CACHE_SIZE)
def _render_links(links: tuple[tuple[str | None, str, str, int], ...], here: str | None) -> Markup:
    """Render links to nodes. There are many of them on each page, and they hardly ever change."""
    sections = groupby(links, key=lambda link: link[0])
    values = {"sections": [(name, list(members)) for name, members in sections], "here": here}
    # The template escaped it.
    return Markup(render("templates/nodes.jinja2", values))  # noqa: S704


def _preview(request: ForumRequest, node: NodeRow | None, summary: Markup | None) -> Preview:
    # /topics shows the same as the home page.
    route = request.matched_route.name
    route = "home" if route == "topics" else route
    path = node_path(request, node.id) if node else request.route_path(route)
    site = request.settings["site.name"]
    return Preview(
        site=site,
        title=site if node is None else node.name,
        description=in_language(request, Message("The latest topics of %(site)s", site=site))
        if node is None
        else beginning(text_content(without_details(summary or ""))) or node.name,
        address=absolute_url(request, path + cursor_query(request)),
        image=site_picture(request),
    )


@page("nodes", "/nodes", topics_page, Common.VIEW)
@page("node_by_path", r"/nodes/{node_id:\d+}", topics_page, Common.VIEW)
def go_to_node(context: Resource, request: ForumRequest) -> Response:
    """Redirect from the path of a node in the API to its page; from that of all, to the topics."""
    node_id = request.matchdict.get("node_id")
    to_node = node_id and request.route_path("node", node_id=node_id)
    return see_other(to_node or request.route_path("topics"))
