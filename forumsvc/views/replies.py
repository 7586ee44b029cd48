"""The reply endpoints."""

from ..permissions import REPLY_ABILITIES, Common
from ..permissions import ReplyPermission as May
from ..presenters.replies import reply_detail
from ..resources.replies import ReplyItem
from ..schemas.replies import reply_form
from ..security.policy import abilities
from ..services import replies
from ..web.api_view import api_view
from ..web.request import ForumRequest
from ..web.results import Done, Single


def show_reply(item: ReplyItem, request: ForumRequest, location: str | None = None) -> Single:
    """Return a reply in full with what the caller may do with it."""
    may = abilities(request.caller, item, REPLY_ABILITIES)
    return Single("reply", reply_detail(request.site, item.row), may, location)


@api_view(ReplyItem, "GET", Common.VIEW)
def read_reply(item: ReplyItem, request: ForumRequest) -> Single:
    """Show a reply with its raw text."""
    return show_reply(item, request)


@api_view(ReplyItem, "POST", May.UPDATE, schema=reply_form)
def update_reply(item: ReplyItem, request: ForumRequest) -> Single:
    """Edit a reply."""
    replies.edit(
        request.db,
        request.actor_id,
        request.now,
        request.registry.authoring,
        item.row,
        request.validated["body"],
    )
    return show_reply(item.again(), request)


@api_view(ReplyItem, "DELETE", May.DESTROY)
def delete_reply(item: ReplyItem, request: ForumRequest) -> Done:
    """Delete a reply."""
    replies.destroy(request.db, request.now, item.row)
    return Done()
