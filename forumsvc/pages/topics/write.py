"""Writing: a new topic, an edited one, a reply, each with a preview."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import colander
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
from ...services.posts.topics import TopicContent
from ...text.messages import Message
from ...web.api.locking import lock_item
from ...web.api.prework import render_text
from ...web.api.request import ForumRequest
from ..form_keys import form_key, mark_saved, once
from ..forms import WHOLE_FORM, Values, form, process_form
from ..kept_text import digest_of
from ..page import page, page_form
from ..page_tree import for_users, reply_page, topic_page, topics_page
from ..paths import see_other, topic_path
from ..pictures import PICTURE, may_upload, picture_address, record_picture, stored_picture
from ..post_html import post_html
from .prefilled import own_held_post, quotation, withdraw_held_post

Save = Callable[[ForumRequest, Mapping[str, Any], RenderedPost], str]
"""Saves validated values and their rendered text, and returns the path to go to."""
_EDITED = Message("Somebody has changed this since you began. Below is what it is now, and yours.")
_ALT = re.compile(r"[\[\]\\\s]+")
"""What cannot stand in the alternative text of a picture in Markdown."""


@page("topic_new", "/topics/new", for_users(topics_page), May.CREATE, "write")
def show_new(context: Topics, request: ForumRequest) -> Values:
    """Return the form of a new topic. `node_id` in the query chooses the node.

    `held`: the id of an own post that is not published, whose text is changed.
    """
    chosen = {"node_id": request.parameters.get("node_id") or ""}
    held = own_held_post(request)
    if held is not None:
        chosen = {"title": held.title, "node_id": str(held.node_id), "body": held.body}
    return form(form_values=chosen, **_topic_values(context, request, "new"))


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
        if isinstance(topic, int):
            return request.route_path("held_post", held_id=topic)
        return request.route_path("topic", topic_id=topic.id)

    return _submit(context, request, topic_form, save, **_topic_values(context, request, "new"))


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
        _check_seen(request, {**values, "body": body.body}, now)
        topic_service.edit(
            request.db,
            request.actor_id,
            request.now,
            request.authoring,
            row,
            TopicContent(**{**values, "body": body}),
        )
        return request.route_path("topic", topic_id=row.id)

    return _submit(item, request, topic_form, save, **_topic_values(item, request, "edit"))


@page("topic_reply", r"/topics/{topic_id:\d+}/replies", for_users(topic_page), May.REPLY, "write")
def show_reply(item: TopicItem, request: ForumRequest) -> Values:
    """Return the form of a reply. `quote` in the query quotes another reply; `held`: as above."""
    held = own_held_post(request)
    body = quotation(item, request) if held is None else held.body
    return form(form_values={"body": body}, **_reply_values(item, request, "reply"))


@page_form(show_reply)
def reply(item: TopicItem, request: ForumRequest) -> Response | Values:
    """Create a reply; a button beside another reply quotes that into the text instead."""
    if request.parameters.get("quote"):
        so_far = str(request.parameters.get("body") or "").rstrip()
        body = "\n\n".join(part for part in (so_far, quotation(item, request)) if part)
        return form(form_values={"body": body}, **_reply_values(item, request, "reply"))

    @once
    def save(request: ForumRequest, values: Mapping[str, Any], body: RenderedPost) -> str:
        locked = lock_item(item, request, May.REPLY, whole_row=False)
        withdraw_held_post(request)
        publisher = request.registry.publisher
        created = publisher.create_reply(
            request.db, request.author, request.now, request.authoring, locked.row, body
        )
        if isinstance(created, int):
            return request.route_path("held_post", held_id=created)
        return request.route_path("reply", reply_id=created.id)

    return _submit(item, request, reply_form, save, **_reply_values(item, request, "reply"))


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
        _check_seen(request, {"body": body.body}, {"body": row.body})
        reply_service.edit(request.db, request.actor_id, request.now, request.authoring, row, body)
        return request.route_path("reply", reply_id=row.id)

    return _submit(item, request, reply_form, save, **_reply_values(item, request, "edit_reply"))


def _submit(
    context: Resource,
    request: ForumRequest,
    schema: Callable[[Any], colander.SchemaNode],
    save: Save,
    **others: Any,
) -> Response | Values:
    """Save the form, or show it again with a preview or its errors."""

    def submit(values: dict[str, Any]) -> Response | Values:
        with stored_picture(request, context.root, PICTURE) as picture:
            if picture is not None:
                address = picture_address(request, picture)
                alt = _ALT.sub(" ", str(request.parameters.get("picture_text") or ""))[:200].strip()
                values["body"] = f"{values['body']}\n\n![{alt}]({address})\n"
            rendered = render_text(request, values)
            if request.parameters.get("preview") is None:
                saved = see_other(save(request, values, rendered))
                result: Response | Values = mark_saved(request, saved)
            else:
                result = preview(values, rendered)
            # Last, because it locks the user: the services lock topics first.
            if picture is not None:
                record_picture(request, picture, PICTURE)
            return result

    def preview(values: dict[str, Any], rendered: RenderedPost) -> Values:
        linked = request.authoring.link_mentions(request.executor, rendered.text)
        html = post_html(linked, _topic_path(context, request))
        shown = {name: str(value) for name, value in values.items()}
        return form(form_values=shown, **{**others, "preview": html})

    try:
        return process_form(request, schema(request.settings), submit, **others)
    except _EditedMeanwhile as conflict:
        request.response.status_int = 409
        names = ("title", "node_id", "body")
        parameters = {name: str(request.parameters.get(name) or "") for name in names}
        values = {**others, "theirs": conflict.now, "seen": digest_of(*conflict.now.values())}
        return form(form_values=parameters, errors={WHOLE_FORM: _EDITED}, **values)


class _EditedMeanwhile(Exception):
    """Somebody saved the post after the form was shown.

    now: what is there by now: `body`, and of a topic `title` and `node_id`.
    """

    def __init__(self, now: dict[str, Any]) -> None:
        super().__init__()
        self.now = now


def _check_seen(request: ForumRequest, new: dict[str, Any], now: dict[str, Any]) -> None:
    """Raise _EditedMeanwhile unless the form showed what is there now, or it is what is wanted.

    new: what the form would save: a form that is sent twice finds its own text.
    """
    if request.parameters.get("seen") != digest_of(*now.values()) and new != now:
        raise _EditedMeanwhile(now)


def _topic_path(context: Resource, request: ForumRequest) -> str:
    """Return the path of the topic that is written to; a new one has none."""
    if isinstance(context, ReplyItem):
        return topic_path(request, context.row.topic_id)
    return topic_path(request, context.row.id) if isinstance(context, TopicItem) else ""


def _topic_values(context: Resource, request: ForumRequest, kind: str) -> Values:
    all_nodes = nodes.all_nodes(request.executor)
    return {**_reply_values(context, request, kind), "nodes": all_nodes}


def _reply_values(context: Resource, request: ForumRequest, kind: str) -> Values:
    return {
        "kind": kind,
        "preview": None,
        "nodes": (),
        "topic": partial(_of_topic, context, request),
        "theirs": None,
        "may_upload": may_upload(request, context.root),
        "form_key": form_key(request),
        "seen": request.parameters.get("seen"),
        "held": request.parameters.get("held"),
    }


def _of_topic(context: Resource, request: ForumRequest) -> Values | None:
    """Return the topic that is written to: `path` and `title`; None for a new one."""
    if not isinstance(context, TopicItem | ReplyItem):
        return None
    topic_id = context.row.topic_id if isinstance(context, ReplyItem) else context.row.id
    topic = topics.by_id(request.executor, topic_id)
    return {"path": topic_path(request, topic_id), "title": topic.title} if topic else None
