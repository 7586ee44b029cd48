"""The reply endpoints."""

from typing import cast

from ..permissions import Common, TopicPermission
from ..permissions import ReplyPermission as May
from ..queries.replies import details_by_ids
from ..queries.rows import ReplyRow
from ..resources.replies import Replies, ReplyItem
from ..resources.topics import TopicItem
from ..schemas.drafts import with_draft
from ..schemas.including import with_include
from ..schemas.replies import REPLIES_BY_ID, reply_changes, reply_form
from ..schemas.restrictions import REASON_FORM
from ..services.posts import drafts, replies
from ..services.posts.authoring import RenderedPost
from ..web.api.api_view import api_view
from ..web.api.prework import render_body
from ..web.api.request import ForumRequest
from ..web.http_cache.cache_policy import REPLY
from ..web.responses.results import Detail, Held, Kind, Listing, Ok
from .held_posts import held_result

_FORM, _CHANGES = with_draft(reply_form), with_draft(reply_changes)


@api_view(
    TopicItem,
    "POST",
    TopicPermission.REPLY,
    name="replies",
    schema=_FORM,
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
    # Last, because who saves a draft has locked the user.
    drafts.delete(request.db, request.actor_id, request.validated["draft"])
    if isinstance(reply, int):
        return held_result(request, reply)
    return Detail(Kind.REPLY, item.root.replies.wrap(str(reply.id), reply), is_new=True)


@api_view(Replies, "GET", Common.VIEW, schema=with_include(REPLIES_BY_ID))
def list_replies(container: Replies, request: ForumRequest) -> Listing:
    """List the replies with some ids."""
    ids = request.validated["ids"]
    found = container.visible_rows(ids, details_by_ids(request.db, ids))
    return Listing(Kind.REPLY_DETAIL, "replies", found)


@api_view(ReplyItem, "GET", Common.VIEW, schema=with_include(), cache_policy=REPLY)
def read_reply(item: ReplyItem, request: ForumRequest) -> Detail:
    """Return a reply with its Markdown source."""
    return Detail(Kind.REPLY, item)


def render_edited(item: ReplyItem, request: ForumRequest) -> RenderedPost | None:
    """Render the text of an edited reply, if it is given."""
    return render_body(item, request) if "body" in request.validated else None


@api_view(ReplyItem, "PATCH", May.UPDATE, schema=_CHANGES, prework=render_edited, locked="row")
@api_view(ReplyItem, "PUT", May.UPDATE, schema=_FORM, prework=render_edited, locked="row")
@api_view(ReplyItem, "POST", May.UPDATE, schema=_FORM, prework=render_edited, locked="row")
def update_reply(item: ReplyItem, request: ForumRequest) -> Detail:
    """Edit a reply; by PATCH, it stays as it is without a text. Older clients POST."""
    if request.prework is not None:
        replies.edit(
            request.db,
            request.actor_id,
            request.now,
            request.authoring,
            cast("ReplyRow", item.row),
            request.prework,
        )
    drafts.delete(request.db, request.actor_id, request.validated["draft"])
    return Detail(Kind.REPLY, item.reloaded())


@api_view(ReplyItem, "DELETE", May.DESTROY, schema=REASON_FORM, locked="row")
def delete_reply(item: ReplyItem, request: ForumRequest) -> Ok:
    row, reason = cast("ReplyRow", item.row), request.validated["reason"]
    replies.destroy(request.db, request.actor_id_or_none, request.now, row, reason)
    return Ok()
