"""The reply endpoints."""

from typing import cast

from ..permissions import Common, TopicPermission
from ..permissions import ReplyPermission as May
from ..queries.rows import ReplyRow
from ..resources.replies import ReplyItem
from ..resources.topics import TopicItem
from ..schemas.including import with_include
from ..schemas.replies import reply_form
from ..schemas.restrictions import REASON_FORM
from ..services.posts import replies
from ..web.api.api_view import api_view
from ..web.api.prework import render_body
from ..web.api.request import ForumRequest
from ..web.http_cache.cache_policy import REPLY
from ..web.responses.results import Detail, Held, Kind, Ok
from .held_posts import held_result


@api_view(
    TopicItem,
    "POST",
    TopicPermission.REPLY,
    name="replies",
    schema=reply_form,
    idempotent=True,
    prework=render_body,
    locked="state",
)
def create_reply(item: TopicItem, request: ForumRequest) -> Detail | Held:
    publisher = request.registry.publisher
    author, authoring = request.author, request.authoring
    reply = publisher.create_reply(
        request.db, author, request.now, authoring, item.row, request.prework
    )
    if isinstance(reply, int):
        return held_result(request, reply)
    return Detail(Kind.REPLY, item.root.replies.wrap(str(reply.id), reply), is_new=True)


@api_view(ReplyItem, "GET", Common.VIEW, schema=with_include(), cache_policy=REPLY)
def read_reply(item: ReplyItem, request: ForumRequest) -> Detail:
    """Return a reply with its Markdown source."""
    return Detail(Kind.REPLY, item)


@api_view(ReplyItem, "POST", May.UPDATE, schema=reply_form, prework=render_body, locked="row")
def update_reply(item: ReplyItem, request: ForumRequest) -> Detail:
    replies.edit(
        request.db,
        request.actor_id,
        request.now,
        request.authoring,
        cast("ReplyRow", item.row),
        request.prework,
    )
    return Detail(Kind.REPLY, item.reloaded())


@api_view(ReplyItem, "DELETE", May.DESTROY, schema=REASON_FORM, locked="row")
def delete_reply(item: ReplyItem, request: ForumRequest) -> Ok:
    row, reason = cast("ReplyRow", item.row), request.validated["reason"]
    replies.destroy(request.db, request.actor_id_or_none, request.now, row, reason)
    return Ok()
