"""The lists of topics: of the forum and of a node, each in five orders."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import groupby
from types import MappingProxyType
from typing import Any

from markupsafe import Markup
from pyramid.renderers import render
from pyramid.response import Response

from ...db.keyset_paging import PageRows
from ...errors import NotFound
from ...markup import Renderer
from ...markup.text_content import text_content, without_details
from ...permissions import Common, NodePermission
from ...permissions import TopicPermission as May
from ...queries import nodes, own_topics, topic_lists
from ...queries.own_topics import UnreadTopics
from ...queries.rows import NodeRow
from ...queries.topic_lists import TopicOrder
from ...resources.base import Resource
from ...resources.nodes import NodeItem
from ...security.identity import Identity
from ...security.policy import decide
from ...services.posts import reading, relations
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ...web.http_cache.cache_policy import TOPIC_LIST
from ..buttons import Button, button_pages
from ..flash_messages import flash_message
from ..languages import in_language
from ..lines import NEW, topic_lines
from ..page import page
from ..page_context import short_count
from ..page_tree import for_users, node_page, topics_page
from ..paging import cursor_links, cursor_query, numbered_or_cursor, page_request
from ..paths import absolute_url, feed_path, node_path, path_to_go_on, see_other
from ..post_html import post_html
from ..previews import Preview, beginning, site_picture
from .first_steps import first_steps

TABS = {
    "topics": TopicOrder.LAST_ACTIVED,
    "topics_recent": TopicOrder.RECENT,
    "topics_popular": TopicOrder.POPULAR,
    "topics_no_reply": TopicOrder.NO_REPLY,
    "topics_excellent": TopicOrder.EXCELLENT,
}
"""The five orders, by the pages of all topics, whose paths are those of Homeland."""
OWN_TABS = ("topics_unread", "topics_following", "topics_taken_part")
"""The pages of what is a user's own concern (`own_lists`)."""
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
@_list_page("node_recent", r"/topics/node{node_id:\d+}/last", node_page)
@_list_page("node_popular", r"/topics/node{node_id:\d+}/popular", node_page)
@_list_page("node_no_reply", r"/topics/node{node_id:\d+}/no_reply", node_page)
@_list_page("node_excellent", r"/topics/node{node_id:\d+}/excellent", node_page)
def show(context: Resource, request: ForumRequest) -> dict[str, Any]:
    """Return the values of a page of topics."""
    node = context.row if isinstance(context, NodeItem) else None
    route = request.matched_route.name
    tab = "topics" if route == "home" else route.replace("node", "topics")
    caller = request.caller
    may_mark_all = caller is not None and tab == "topics_recent"
    # First, so that no later reply is marked.
    newest = {"newest": reading.newest_reply_id(request.db)} if may_mark_all else {}
    result = topic_lists.forum_list(
        request.db,
        TABS[tab],
        page_request(request),
        node_id=None if node is None else node.id,
        viewer_id=caller.user_id if caller and caller.blocks else None,
        muter_id=caller.user_id if caller and caller.mutes else None,
        pinned_first=True,
    )
    return {**list_values(context, request, tab, result), **newest}


def list_values(
    context: Resource, request: ForumRequest, tab: str, result: PageRows
) -> dict[str, Any]:
    """Return the values of a page with these topics. tab: its name in TABS or OWN_TABS."""
    if not result.rows and request.validated["page"] > 1:
        raise NotFound("This list has no such page.")
    node = context.row if isinstance(context, NodeItem) else None
    all_nodes = nodes.all_nodes(request.db)
    caller, unread = request.caller, _unread_topics(request)
    summary = _summary(request, node)
    links = _node_links(request, all_nodes, node, unread.of_nodes if unread else {})
    may_manage = bool(decide(caller, context.root["nodes"], NodePermission.MANAGE))
    # A forum with more than a page of topics has begun.
    is_new = tab == "topics" and node is None and not any(result.cursors)
    has_topics = any(item.topics_count for item in all_nodes)
    if may_manage and is_new:
        steps = first_steps(request, has_nodes=bool(links), has_topics=has_topics)
    else:
        steps = []
    return {
        "node": node,
        "summary": summary,
        "about": _preview(request, node, summary),
        "feed": feed_path(request, None if node is None else node.id),
        "tab": tab,
        "is_own": tab in OWN_TABS,
        "flash_message": None if caller is None else flash_message(request),
        "tabs": _tabs(request, node),
        "numbers": _numbers(request, unread, None if node is None else node.id),
        "topics": topic_lines(request, result.rows, by_creation=tab == "topics_recent"),
        "nodes": links,
        "has_topics": has_topics if node is None else bool(node.topics_count),
        "leaves_out": caller is not None and (caller.blocks or caller.mutes),
        "may_create": bool(links) and bool(decide(caller, context.root.topics, May.CREATE)),
        "may_manage": may_manage,
        "steps": steps,
        "mute": _mute_button(context, request),
        **cursor_links(request, result.cursors),
    }


def _tabs(request: ForumRequest, node: NodeRow | None) -> dict[str, str]:
    """Return the paths of lists by their names, the most wanted first: a phone shows only these."""
    names = [*TABS]
    if request.caller is not None:
        (active, recent, *others), (unread, *own) = TABS, OWN_TABS
        names = [active, unread, recent, *(own if node is None else ()), *others]
    if node is None:
        return {name: request.route_path(name) for name in names}
    return {
        name: request.route_path(name.replace("topics", "node"), node_id=node.id) for name in names
    }


def count_unread(request: ForumRequest, except_id: int | None = None) -> str:
    """Return the number beside a link to the unread topics, "" without any.

    except_id: a topic that does not count.
    """
    unread = _unread_topics(request, except_id)
    return short_count(unread.topics_count, unread.has_more) if unread else ""


def numbers_of_tabs(request: ForumRequest, node_id: int | None = None) -> dict[str, str]:
    """Return what stands beside the tabs of the forum's lists, or of a node's, by their names."""
    return _numbers(request, _unread_topics(request), node_id)


def _unread_topics(request: ForumRequest, except_id: int | None = None) -> UnreadTopics | None:
    """Return how many topics the caller has to read; None if nobody is logged in."""
    caller = request.caller
    if caller is None:
        return None
    return own_topics.count_unread(
        request.db, request.actor_id, except_id=except_id, **_hidden(caller)
    )


def _numbers(
    request: ForumRequest, unread: UnreadTopics | None, node_id: int | None
) -> dict[str, str]:
    if request.caller is None or unread is None:
        return {}
    since, hidden = request.now - NEW, _hidden(request.caller)
    new = own_topics.count_new(request.db, request.actor_id, since, node_id=node_id, **hidden)
    count = unread.topics_count if node_id is None else unread.of_nodes.get(node_id, 0)
    return {"topics_unread": short_count(count, unread.has_more), "topics_recent": short_count(new)}


def _hidden(caller: Identity) -> dict[str, bool]:
    return {"hides_blocked": caller.blocks, "hides_muted": caller.mutes}


def _mute_button(context: Resource, request: ForumRequest) -> str | None:
    """Return the name of the button that mutes a node or ends that; None if the caller has none."""
    caller = request.caller
    if not isinstance(context, NodeItem) or not decide(caller, context, NodePermission.MUTE):
        return None
    muted = caller and caller.mutes and nodes.is_muted(request.db, request.actor_id, context.row.id)
    return "unmute" if muted else "mute"


def _mute(request: ForumRequest, row: Any) -> None:
    relations.mute_node(request.db, request.actor_id, request.now, row.id)


def _unmute(request: ForumRequest, row: Any) -> None:
    relations.unmute_node(request.db, request.actor_id, row.id)


MUTE_BUTTONS = {
    "mute": Button(NodePermission.MUTE, _mute),
    "unmute": Button(NodePermission.MUTE, _unmute, None),
}


@button_pages("node", r"/topics/node{node_id:\d+}", for_users(node_page), MUTE_BUTTONS)
def _after_mute(request: ForumRequest, row: Any, action: str) -> str:
    return path_to_go_on(request) or node_path(request, row.id)


def _summary(request: ForumRequest, node: NodeRow | None) -> Markup | None:
    """Return what a node is for. Raises Unavailable."""
    if node is None or not node.summary:
        return None
    return _render_summary(request.authoring.renderer, node.summary)


@lru_cache(_CACHE_SIZE)
def _render_summary(renderer: Renderer, summary: str) -> Markup:
    """Render the Markdown of a summary, of which only the source is stored."""
    return post_html(renderer.render(summary).html, "", last_floor=0, levels=1)


def _node_links(
    request: ForumRequest,
    all_nodes: Sequence[NodeRow],
    node: NodeRow | None,
    unread: Mapping[int, int],
) -> Markup:
    """Return the links to nodes, by their sections.

    node: the one whose page it is; unread: how many topics the caller has to read there, by id.
    """
    links = tuple(
        (item.section_name, item.name, node_path(request, item.id), item.id)
        for item in nodes.by_section(all_nodes)
    )
    here = None if node is None else node_path(request, node.id)
    if not unread:
        return _render_links(links, here)
    return _links(links, here, unread, in_language(request, Message("unread")))


@lru_cache(_CACHE_SIZE)
def _render_links(links: tuple[tuple[str | None, str, str, int], ...], here: str | None) -> Markup:
    """Render links to nodes. There are many of them on each page, and they hardly ever change."""
    return _links(links, here)


def _links(
    links: tuple[tuple[str | None, str, str, int], ...],
    here: str | None,
    unread: Mapping[int, int] = MappingProxyType({}),
    word: str = "",
) -> Markup:
    sections = groupby(links, key=lambda link: link[0])
    by_name = [(name, list(members)) for name, members in sections]
    values = {"sections": by_name, "here": here, "unread": unread, "word": word}
    # The template escaped it.
    return Markup(render("templates/nodes.jinja2", values))  # noqa: S704


def _preview(request: ForumRequest, node: NodeRow | None, summary: Markup | None) -> Preview:
    # /topics shows the same as the home page.
    route = request.matched_route.name
    route = "home" if route == "topics" else route
    path = request.path if node else request.route_path(route)
    site = request.site_texts.name
    latest = Message("The latest topics of %(site)s", site=site)
    is_home = node is None and route == "home"
    tagline = request.site_texts.tagline if is_home else ""
    return Preview(
        site=site,
        title=site if node is None else node.name,
        description=tagline or in_language(request, latest)
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
