"""The topic endpoints, except the actions."""

from typing import cast

from ..db.keyset_paging import Cursors, PageRows
from ..errors import Invalid, NotFound
from ..permissions import Common
from ..permissions import TopicPermission as May
from ..queries import nodes, replies, topic_lists, topics
from ..queries.own_topics import UNREAD
from ..queries.replies import ReplyOrder
from ..queries.rows import TopicRow
from ..queries.topic_lists import TopicOrder
from ..resources.topics import TopicItem, Topics
from ..schemas.drafts import with_draft
from ..schemas.including import Include, with_include
from ..schemas.replies import TOPIC_REPLIES
from ..schemas.restrictions import REASON_FORM
from ..schemas.topics import READ_ALL_FORM, READ_FORM, topic_changes, topic_form, topic_list
from ..services.posts import drafts, reading, relations
from ..services.posts import topics as topic_service
from ..services.posts.authoring import RenderedPost
from ..services.posts.topics import TopicChanges, TopicContent
from ..text.messages import Clause
from ..web.api.api_view import api_view
from ..web.api.granting import require
from ..web.api.prework import render_body
from ..web.api.request import ForumRequest
from ..web.http_cache.cache_policy import REPLY_LIST, TOPIC, TOPIC_LIST
from ..web.own_topics import own_list
from ..web.responses.results import (
    Detail,
    Held,
    Kind,
    Listing,
    MarkedRead,
    Ok,
    ReplyListing,
)
from .held_posts import held_result

_FORM, _CHANGES = with_draft(topic_form), with_draft(topic_changes)


@api_view(Topics, "GET", Common.VIEW, schema=with_include(topic_list), cache_policy=TOPIC_LIST)
def list_topics(container: Topics, request: ForumRequest) -> Listing:
    """List the topics of the forum or a node, those with some ids, or those with unread replies."""
    parameters, caller = request.validated, request.caller
    if (ids := parameters["ids"]) is not None:
        found = container.visible_rows(ids, topics.by_ids(request.db, ids))
        return Listing(Kind.TOPIC, "topics", found, Cursors(None, None))
    if parameters["type"] == UNREAD:
        require(request, container, May.VIEW_UNREAD, "type=unread")
        result = own_list(request, None, unread=True, node_id=parameters["node_id"])
    else:
        result = topic_lists.forum_list(
            request.db,
            TopicOrder(parameters["type"]),
            request.page,
            node_id=parameters["node_id"],
            viewer_id=caller.user_id if caller and caller.blocks else None,
            muter_id=caller.user_id if caller and caller.mutes else None,
            pinned_first=parameters["pinned"] is not None,
        )
    if not result.rows and parameters["node_id"] is not None:
        _check_node(request, parameters["node_id"])
    return Listing(Kind.TOPIC, "topics", *result)


def _check_node(request: ForumRequest, node_id: int) -> None:
    if not nodes.exists(request.db, node_id):
        raise NotFound("node_id: there is no such node.", "node_id")


def render_new(container: Topics, request: ForumRequest) -> RenderedPost:
    """Render the text of a new topic, if its node exists."""
    topic_service.check_node(request.executor, request.validated["node_id"])
    return render_body(container, request)


def render_edited(item: TopicItem, request: ForumRequest) -> RenderedPost | None:
    """Render the text of an edited topic, if it is given, and if a changed node exists."""
    given = request.validated
    node_id = given.get("node_id", item.row.node_id)
    if node_id != item.row.node_id:
        topic_service.check_node(request.executor, node_id)
    if "body" in given:
        return render_body(item, request)
    if "title" in given:
        request.authoring.rules.check_title(given["title"])
    return None


@api_view(Topics, "POST", May.CREATE, schema=_FORM, idempotent=True, prework=render_new)
def create_topic(container: Topics, request: ForumRequest) -> Detail | Held:
    values = request.validated
    new = TopicContent(values["title"], values["node_id"], request.prework)
    topic = request.registry.publisher.create_topic(
        request.db, request.author, request.now, request.authoring, new
    )
    # Last, because who saves a draft has locked the user.
    drafts.delete(request.db, request.actor_id, values["draft"])
    if isinstance(topic, int):
        return held_result(request, topic)
    return Detail(Kind.TOPIC, container.wrap(str(topic.id), topic), is_new=True)


@api_view(TopicItem, "GET", Common.VIEW, schema=with_include(), cache_policy=TOPIC)
def read_topic(item: TopicItem, request: ForumRequest) -> Detail:
    return Detail(Kind.TOPIC, item)


@api_view(TopicItem, "PATCH", May.UPDATE, schema=_CHANGES, prework=render_edited, locked="row")
@api_view(TopicItem, "PUT", May.UPDATE, schema=_FORM, prework=render_edited, locked="row")
@api_view(
    TopicItem,
    "POST",
    May.UPDATE,
    schema=_FORM,
    prework=render_edited,
    locked="row",
    deprecated="updateTopicByPost",
)
def update_topic(item: TopicItem, request: ForumRequest) -> Detail:
    """Edit a topic; by PATCH, what is not given stays. Older clients POST instead of PUT."""
    changes = {**request.validated, "body": request.prework}
    draft = changes.pop("draft")
    topic_service.edit(
        request.db,
        request.actor_id,
        request.now,
        request.authoring,
        cast("TopicRow", item.row),
        TopicChanges(**changes),
    )
    drafts.delete(request.db, request.actor_id, draft)
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
    schema=with_include(TOPIC_REPLIES, Include.STATE, Include.PLACE),
    cache_policy=REPLY_LIST,
)
def list_replies(item: TopicItem, request: ForumRequest) -> ReplyListing:
    """List the replies of a topic, or those around one."""
    order = ReplyOrder(request.validated["order"] or ReplyOrder.OLDEST)
    result = _requested_replies(item, request, order)
    places = None
    if request.includes(Include.PLACE):
        places = replies.places(request.db, item.row.id, result.rows, order)
    last = replies.ORDERS[order].end()
    return ReplyListing(Kind.REPLY, "replies", *result, parent=item, last=last, places=places)


def _requested_replies(item: TopicItem, request: ForumRequest, order: ReplyOrder) -> PageRows:
    page, reply_id = request.page, request.validated["around"]
    if reply_id is None:
        return replies.of_topic(request.db, item.row.id, page, order)
    if page.offset or page.before or page.after:
        raise Invalid("around", "cannot be given together with offset, before or after")
    result = replies.around(request.db, item.row.id, reply_id, page.limit, order)
    if result is None:
        raise Invalid("around", Clause("there is no such reply in this topic"))
    return result


@api_view(Topics, "POST", May.MARK_READ, name="read_all", schema=READ_ALL_FORM)
def mark_all_read(container: Topics, request: ForumRequest) -> Ok:
    """Mark all topics, or those of a node, as read by the caller."""
    node_id = request.validated["node_id"]
    reading.mark_all(request.db, request.actor_id, request.now, node_id)
    return Ok()


@api_view(TopicItem, "POST", May.MARK_READ, name="read", schema=READ_FORM)
def mark_read(item: TopicItem, request: ForumRequest) -> MarkedRead:
    """Say how far the caller has read a topic."""
    return MarkedRead(
        reading.mark_topic(
            request.db, request.actor_id, request.now, item.row.id, **request.validated
        )
    )


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
