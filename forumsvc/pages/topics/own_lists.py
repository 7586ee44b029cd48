"""The lists of a user's own topics: what they have not read, follow, took part in."""

from functools import partial
from typing import Any

from pyramid.response import Response

from ...db.keyset_paging import PageRequest
from ...errors import NotFound
from ...permissions import Common
from ...permissions import TopicPermission as May
from ...queries import nodes, topic_reads
from ...queries.own_topics import TopicRelation
from ...resources.base import Resource
from ...resources.nodes import NodeItem
from ...resources.topics import Topics
from ...schemas.fields import Id, optional, parameters, required
from ...services.posts import reading
from ...web.api.request import ForumRequest
from ...web.own_topics import own_list
from ..flash_messages import with_message
from ..page import page
from ..page_tree import for_users, node_page, topics_page
from ..paging import numbered_or_cursor, page_request
from ..paths import reply_path, see_other
from .lists import list_values

_list_page = partial(
    page,
    factory=for_users(topics_page),
    permission=May.VIEW_UNREAD,
    template="list",
    schema=numbered_or_cursor,
)


@_list_page("topics_unread", "/topics/unread")
@_list_page(
    *("node_unread", r"/topics/node{node_id:\d+}/unread"),
    factory=for_users(node_page),
    permission=Common.VIEW,
)
def show_unread(context: Resource, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page of topics with unread replies, of all nodes or of one."""
    newest = reading.newest_reply_id(request.db)  # first, so that no later reply is marked
    node_id = context.row.id if isinstance(context, NodeItem) else None
    page = page_request(request)
    result = own_list(request, None, unread=True, node_id=node_id, page=page)
    return {**list_values(context, request, "topics_unread", result), "newest": newest}


@_list_page("topics_following", "/topics/following")
def show_followed(container: Topics, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page of topics that the user follows."""
    result = own_list(request, TopicRelation.FOLLOWING, page=page_request(request))
    return list_values(container, request, "topics_following", result)


@_list_page("topics_taken_part", "/topics/taken_part")
def show_taken_part(container: Topics, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page of topics that the user wrote or answered."""
    result = own_list(request, TopicRelation.TAKEN_PART, page=page_request(request))
    return list_values(container, request, "topics_taken_part", result)


@page(
    *("next_unread_topic", "/topics/unread/next", for_users(topics_page), May.VIEW_UNREAD),
    schema=parameters(optional("after", Id())),
)
def go_to_next_unread(container: Topics, request: ForumRequest) -> Response:
    """Redirect to the first unread reply of an unread topic, or to their list without any.

    `after` is a topic that somebody has just read, which may not be stored yet.
    """
    found = own_list(request, None, unread=True, page=PageRequest(limit=2)).rows
    ids = [row.id for row in found if row.id != request.validated["after"]]
    places = topic_reads.of_topics(request.db, request.actor_id, ids[:1])
    for place in places.values():
        if place.first_unread_reply_id is not None:
            return see_other(reply_path(request, place.first_unread_reply_id))
    return see_other(request.route_path("topics_unread"))


_read_all_page = partial(
    page,
    *("topics_read_all", "/topics/read_all", for_users(topics_page), May.MARK_READ),
    schema=parameters(required("newest", Id()), optional("node_id", Id())),
)


@_read_all_page("read_all")
def ask_to_mark_all(container: Topics, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the question. Raises NotFound for an unknown node."""
    newest, node_id = request.validated["newest"], request.validated["node_id"]
    node = None if node_id is None else nodes.by_id(request.db, node_id)
    if node_id is not None and node is None:
        raise NotFound("There is nothing here.")
    return {"newest": newest, "node": node, "back": _unread_path(request, node_id)}


@_read_all_page(method="POST")
def mark_all_read(container: Topics, request: ForumRequest) -> Response:
    """Mark all topics, or those of a node, as read, but not what came after the page was shown."""
    until, node_id = request.validated["newest"], request.validated["node_id"]
    reading.mark_all(request.db, request.actor_id, request.now, node_id, last_reply_id=until)
    return with_message(request, "read-all", see_other(_unread_path(request, node_id)))


def _unread_path(request: ForumRequest, node_id: int | None) -> str:
    if node_id is None:
        return request.route_path("topics_unread")
    return request.route_path("node_unread", node_id=node_id)
