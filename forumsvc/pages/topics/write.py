"""Writing: a new topic, an edited one, a reply, each with a preview."""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from pyramid.response import Response

from ...permissions import ReplyPermission
from ...permissions import TopicPermission as May
from ...queries import nodes, topics
from ...queries.rows import ReplyRow, TopicRow
from ...resources.base import Resource
from ...resources.replies import ReplyItem
from ...resources.topics import TopicItem, Topics
from ...schemas.replies import reply_form
from ...schemas.topics import topic_form
from ...services.posts import replies as reply_service
from ...services.posts import topics as topic_service
from ...services.posts.authoring import RenderedPost
from ...services.posts.topics import TopicChanges, TopicContent
from ...web.api.locking import lock_item
from ...web.api.request import ForumRequest
from .. import drafts
from ..flash_messages import flash_message
from ..form_keys import form_key, once
from ..forms import Values, form
from ..kept_text import digest_of
from ..page import page, page_form
from ..page_tree import for_users, reply_page, topic_page, topics_page
from ..paths import topic_path
from ..pictures import may_upload
from .post_form import check_seen, show_quoted, submit_post
from .prefilled import joined, own_held_post, quotation, withdraw_held_post


@page("topic_new", "/topics/new", for_users(topics_page), May.CREATE, "write")
def show_new(context: Topics, request: ForumRequest) -> Values:
    """Return the form of a new topic. `node_id` in the query chooses the node.

    `held`: the id of an own post that is not published, whose text is changed.
    """
    chosen = {"node_id": request.parameters.get("node_id") or ""}
    held, draft = own_held_post(request), drafts.shown_draft(context, request)
    if held is not None:
        chosen = {"title": held.title, "node_id": str(held.node_id), "body": held.body}
    elif draft is not None:
        chosen = {**draft.values, "node_id": draft.values["node_id"] or chosen["node_id"]}
    values = _topic_values(context, request, "new")
    return form(form_values=chosen, **{**values, **drafts.beginning_with(draft)})


@page_form(show_new)
def create(context: Topics, request: ForumRequest) -> Response | Values:
    @once
    def save(request: ForumRequest, values: Mapping[str, Any], body: RenderedPost) -> str:
        topic_service.check_node(request.executor, values["node_id"])
        withdraw_held_post(request)
        new = TopicContent(**{**values, "body": body})
        topic = request.registry.publisher.create_topic(
            request.db, request.author, request.now, request.authoring, new
        )
        drafts.delete_sent(context, request, values)
        if isinstance(topic, int):
            return request.route_path("held_post", held_id=topic)
        return request.route_path("topic", topic_id=topic.id)

    return submit_post(context, request, topic_form, save, **_topic_values(context, request, "new"))


@page("topic_edit", r"/topics/{topic_id:\d+}/edit", for_users(topic_page), May.UPDATE, "write")
def show_edit(item: TopicItem, request: ForumRequest) -> Values:
    row = cast("TopicRow", item.row)
    values = {"title": row.title, "node_id": str(row.node_id), "body": row.body}
    seen = digest_of(row.body, row.title, row.node_id)
    return form(form_values=values, **{**_topic_values(item, request, "edit"), "seen": seen})


@page_form(show_edit)
def edit(item: TopicItem, request: ForumRequest) -> Response | Values:
    def save(request: ForumRequest, values: Mapping[str, Any], body: RenderedPost) -> str:
        topic_service.check_node(request.executor, values["node_id"])
        locked = lock_item(item, request, May.UPDATE, whole_row=True)
        row = cast("TopicRow", locked.row)
        now = {"body": row.body, "title": row.title, "node_id": row.node_id}
        check_seen(request, {**values, "body": body.body}, now)
        topic_service.edit(
            request.db,
            request.actor_id,
            request.now,
            request.authoring,
            row,
            TopicChanges(**{**values, "body": body}),
        )
        return request.route_path("topic", topic_id=row.id)

    return submit_post(item, request, topic_form, save, **_topic_values(item, request, "edit"))


@page("topic_reply", r"/topics/{topic_id:\d+}/replies", for_users(topic_page), May.REPLY, "write")
def show_reply(item: TopicItem, request: ForumRequest) -> Values:
    """Return the form of a reply. `quote` in the query quotes another reply; `held`: as above."""
    held, draft = own_held_post(request), drafts.shown_draft(item, request)
    begun = "" if draft is None else draft.values["body"]
    body = joined(begun, quotation(item, request)) if held is None else held.body
    values = _reply_values(item, request, "reply")
    return form(form_values={"body": body}, **{**values, **drafts.beginning_with(draft)})


@page_form(show_reply)
def reply(item: TopicItem, request: ForumRequest) -> Response | Values:
    """Create a reply; a button beside another reply quotes that into the text instead."""
    if request.parameters.get("quote"):
        so_far = str(request.parameters.get("body") or "")
        body = joined(so_far, quotation(item, request))
        values = _reply_values(item, request, "reply")
        if not so_far.strip():
            return form(form_values={"body": body}, **values)
        return show_quoted(item, request, body, values)

    @once
    def save(request: ForumRequest, values: Mapping[str, Any], body: RenderedPost) -> str:
        locked = lock_item(item, request, May.REPLY, whole_row=False)
        withdraw_held_post(request)
        publisher = request.registry.publisher
        created = publisher.create_reply(
            request.db, request.author, request.now, request.authoring, locked.row, body
        )
        drafts.delete_sent(item, request, values)
        if isinstance(created, int):
            return request.route_path("held_post", held_id=created)
        return request.route_path("reply", reply_id=created.id)

    return submit_post(item, request, reply_form, save, **_reply_values(item, request, "reply"))


@page(
    "reply_edit",
    r"/replies/{reply_id:\d+}/edit",
    for_users(reply_page),
    ReplyPermission.UPDATE,
    "write",
)
def show_edit_reply(item: ReplyItem, request: ForumRequest) -> Values:
    body = cast("ReplyRow", item.row).body
    values = {**_reply_values(item, request, "edit_reply"), "seen": digest_of(body)}
    return form(form_values={"body": body}, **values)


@page_form(show_edit_reply)
def edit_reply(item: ReplyItem, request: ForumRequest) -> Response | Values:
    def save(request: ForumRequest, values: Mapping[str, Any], body: RenderedPost) -> str:
        locked = lock_item(item, request, ReplyPermission.UPDATE, whole_row=True)
        row = cast("ReplyRow", locked.row)
        check_seen(request, {"body": body.body}, {"body": row.body})
        reply_service.edit(request.db, request.actor_id, request.now, request.authoring, row, body)
        return request.route_path("reply", reply_id=row.id)

    return submit_post(
        item, request, reply_form, save, **_reply_values(item, request, "edit_reply")
    )


def _topic_values(context: Resource, request: ForumRequest, kind: str) -> Values:
    listed = nodes.by_section(nodes.all_nodes(request.executor))
    return {**_reply_values(context, request, kind), "nodes": listed}


def _reply_values(context: Resource, request: ForumRequest, kind: str) -> Values:
    return {
        "kind": kind,
        "preview": None,
        "flash_message": flash_message(request),
        "nodes": (),
        "topic": partial(_of_topic, context, request),
        "keeps_draft": kind in ("new", "reply") and drafts.has_draft(request),
        "draft": None,
        "replaces": None,
        "theirs": None,
        "may_upload": may_upload(request, context.root),
        "form_key": form_key(request),
        "seen": request.parameters.get("seen"),
        "held": request.parameters.get("held"),
    }


def _of_topic(context: Resource, request: ForumRequest) -> Values | None:
    """Return the topic that is written to; None for a new one.

    `path`, `title`; `fixed_node_id`: the node that a moderator has chosen for it, which the caller
    cannot change, else None.
    """
    if not isinstance(context, TopicItem | ReplyItem):
        return None
    topic_id = context.row.topic_id if isinstance(context, ReplyItem) else context.row.id
    topic = topics.by_id(request.executor, topic_id)
    if topic is None:
        return None
    is_moderator = request.caller is not None and request.caller.is_moderator
    is_fixed = topic.node_locked_at is not None and not is_moderator
    return {
        "path": topic_path(request, topic_id),
        "title": topic.title,
        "fixed_node_id": topic.node_id if is_fixed else None,
    }
