"""The endpoints of held posts."""

from pyramid.httpexceptions import HTTPForbidden

from ..permissions import Common
from ..permissions import HeldPermission as May
from ..queries import held_posts
from ..resources.held_posts import HeldPostItem, HeldPosts
from ..schemas.held_posts import HELD_LIST
from ..security.policy import decide
from ..services.moderation import held_posts as held_post_service
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Detail, Held, Kind, Listing, Ok


def held_result(request: ForumRequest, held_id: int) -> Held:
    """Return the result of a post that was held, with the status of the envelope."""
    request.response.status_int = request.registry.envelope.held_status
    return Held(held_posts.by_id(request.db, held_id))


@api_view(HeldPosts, "GET", May.VIEW_OWN, schema=HELD_LIST)
def list_held_posts(container: HeldPosts, request: ForumRequest) -> Listing:
    """List the caller's own held posts, or everybody's for moderators, newest first."""
    may_see_all = decide(request.caller, container, May.VIEW)
    result, cursors = held_posts.page_of(
        request.db,
        request.page,
        user_id=None if may_see_all else request.actor_id,
        state=request.validated["state"],
    )
    return Listing(Kind.HELD_POST, "held", result, cursors)


@api_view(HeldPostItem, "GET", Common.VIEW)
def read_held_post(item: HeldPostItem, request: ForumRequest) -> Detail:
    """Return a post that waits for a moderator, or did; that of others to moderators."""
    verdict = decide(request.caller, item.__parent__, May.VIEW)
    if item.row.user_id != request.actor_id_or_none and not verdict:
        raise HTTPForbidden(result=verdict)
    return Detail(Kind.HELD_POST, item)


@api_view(HeldPostItem, "DELETE", May.WITHDRAW)
def withdraw_held_post(item: HeldPostItem, request: ForumRequest) -> Ok:
    """Take a held post back."""
    held_post_service.withdraw(request.db, request.now, item.row)
    return Ok()
