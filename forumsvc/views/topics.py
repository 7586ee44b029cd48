"""The topic endpoints, except the actions."""

from typing import cast

from ..errors import NotFound
from ..permissions import Common
from ..permissions import TopicPermission as May
from ..queries import nodes, replies, topics
from ..queries.rows import TopicRow
from ..queries.topics import TopicOrder
from ..resources.topics import TopicItem, Topics
from ..schemas.including import with_include
from ..schemas.paging import PAGED
from ..schemas.restrictions import REASON_FORM
from ..schemas.topics import topic_form, topic_list
from ..services.posts import relations
from ..services.posts import topics as topic_service
from ..services.posts.authoring import RenderedPost
from ..services.posts.topics import TopicContent
from ..web.api.api_view import api_view
from ..web.api.prework import render_body
from ..web.api.request import ForumRequest
from ..web.http_cache.cache_policy import REPLY_LIST, TOPIC, TOPIC_LIST
from ..web.responses.results import Detail, Held, Kind, Listing, Ok
from .held_posts import held_result


@api_view(Topics, "GET", Common.VIEW, schema=with_include(topic_list), cache_policy=TOPIC_LIST)
def list_topics(container: Topics, request: ForumRequest) -> Listing:
    """List the topics of the forum, or of a node."""
    parameters = request.validated
    result = topics.forum_list(
        request.db,
        TopicOrder(parameters["type"]),
        request.page,
        node_id=parameters["node_id"],
        viewer_id=request.caller.user_id if request.caller and request.caller.blocks else None,
    )
    if not result.rows and parameters["node_id"] is not None:
        _check_node(request, parameters["node_id"])
    return Listing(Kind.TOPIC, "topics", *result)


def _check_node(request: ForumRequest, node_id: int) -> None:
    if not nodes.exists(request.db, node_id):
        raise NotFound("node_id: there is no such node.")


def render_new(container: Topics, request: ForumRequest) -> RenderedPost:
    """Render the text of a new topic, if its node exists."""
    topic_service.check_node(request.executor, request.validated["node_id"])
    return render_body(container, request)


def render_edited(item: TopicItem, request: ForumRequest) -> RenderedPost:
    """Render the text of an edited topic, if a changed node exists."""
    if request.validated["node_id"] != item.row.node_id:
        topic_service.check_node(request.executor, request.validated["node_id"])
    return render_body(item, request)


@api_view(Topics, "POST", May.CREATE, schema=topic_form, idempotent=True, prework=render_new)
def create_topic(container: Topics, request: ForumRequest) -> Detail | Held:
    new = TopicContent(**{**request.validated, "body": request.prework})
    topic = request.registry.publisher.create_topic(
        request.db, request.author, request.now, request.authoring, new
    )
    if isinstance(topic, int):
        return held_result(request, topic)
    return Detail(Kind.TOPIC, container.wrap(str(topic.id), topic), is_new=True)


@api_view(TopicItem, "GET", Common.VIEW, schema=with_include(), cache_policy=TOPIC)
def read_topic(item: TopicItem, request: ForumRequest) -> Detail:
    return Detail(Kind.TOPIC, item)


@api_view(TopicItem, "PUT", May.UPDATE, schema=topic_form, prework=render_edited, locked="row")
@api_view(
    TopicItem,
    "POST",
    May.UPDATE,
    schema=topic_form,
    prework=render_edited,
    locked="row",
    deprecated="updateTopicByPost",
)
def update_topic(item: TopicItem, request: ForumRequest) -> Detail:
    """Edit a topic. Older clients POST instead of PUT."""
    topic_service.edit(
        request.db,
        request.actor_id,
        request.now,
        request.authoring,
        cast("TopicRow", item.row),
        TopicContent(**{**request.validated, "body": request.prework}),
    )
    return Detail(Kind.TOPIC, item.reloaded())


@api_view(TopicItem, "DELETE", May.DESTROY, schema=REASON_FORM, locked="row")
def delete_topic(item: TopicItem, request: ForumRequest) -> Ok:
    reason = request.validated["reason"]
    topic_service.destroy(request.db, request.actor_id_or_none, request.now, item.row, reason)
    return Ok()


@api_view(
    TopicItem,
    "GET",
    Common.VIEW,
    name="replies",
    schema=with_include(PAGED),
    cache_policy=REPLY_LIST,
)
def list_replies(item: TopicItem, request: ForumRequest) -> Listing:
    result = replies.of_topic(request.db, item.row.id, request.page)
    return Listing(Kind.REPLY, "replies", *result, parent=item)


@api_view(TopicItem, "POST", May.FOLLOW, name="follow")
def follow(item: TopicItem, request: ForumRequest) -> Ok:
    relations.follow_topic(request.db, request.actor_id, request.now, item.row.id)
    return Ok()


@api_view(TopicItem, "POST", May.FOLLOW, name="unfollow")
def unfollow(item: TopicItem, request: ForumRequest) -> Ok:
    relations.unfollow_topic(request.db, request.actor_id, item.row.id)
    return Ok()


@api_view(TopicItem, "POST", May.FAVORITE, name="favorite", locked="state")
def favorite(item: TopicItem, request: ForumRequest) -> Ok:
    """Add a topic to the caller's favorites."""
    relations.favorite(request.db, request.actor_id, request.now, item.row)
    return Ok()


@api_view(TopicItem, "POST", May.FAVORITE, name="unfavorite", locked="state")
def unfavorite(item: TopicItem, request: ForumRequest) -> Ok:
    """Remove a topic from the caller's favorites."""
    relations.unfavorite(request.db, request.actor_id, item.row)
    return Ok()
