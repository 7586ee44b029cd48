"""Which replies of a topic somebody has seen.

A page marks what it shows. Where a script runs, the page marks nothing: the script tells which
replies were on the screen, and up to which one nothing unread is left out.
"""

from pyramid.response import Response

from ...errors import NotFound
from ...permissions import Common
from ...permissions import TopicPermission as May
from ...queries import replies
from ...resources.replies import ReplyItem
from ...resources.topics import TopicItem
from ...schemas.fields import Id, optional, parameters, required
from ...schemas.lists import MAX_LISTED_IDS, Ids
from ...services.posts import reading
from ...web.api.request import ForumRequest
from ...web.pipeline.session_cookie import cookie_name, cookie_of
from ..flash_messages import redirect_with_message
from ..page import page
from ..page_context import is_script
from ..page_tree import for_users, reply_page, topic_page

_SCRIPT = "script"


def script_cookie_name(request: ForumRequest) -> str:
    """Return the name of the cookie by which a browser says that scripts run in it."""
    return cookie_name(request, _SCRIPT)


def mark_shown(
    request: ForumRequest, topic_id: int, reply_ids: list[int], newest_id: int, next_id: int | None
) -> None:
    """Mark what a page shows to a user.

    reply_ids: of the replies that have their texts there; newest_id: of the newest of the topic;
    next_id: with which one the user goes on reading, None where all is read. A page behind it
    leaves the place, as it does not show what is before it.
    """
    if cookie_of(request, script_cookie_name(request)):
        reply_ids = []
    if _is_looked_at(request):
        joins_on = next_id is None or next_id in reply_ids
        _mark(request, topic_id, reply_ids, newest_id, place=None if joins_on else 0)


def _mark(
    request: ForumRequest,
    topic_id: int,
    reply_ids: list[int],
    newest_id: int,
    place: int | None = None,
) -> None:
    user = request.page_context.user
    if user is not None:
        opened, notifies = request.registry.read_marker.opened, user.unread_count > 0
        opened(user.user_id, topic_id, reply_ids, newest_id, notifies=notifies, place=place)


def _is_looked_at(request: ForumRequest) -> bool:
    """Return whether somebody opens this page, and not a browser in advance, nor a script.

    A script asks for the page to show a button anew, and shows nothing else of it.
    """
    headers = request.headers
    in_advance = "prefetch" in headers.get("Sec-Purpose", headers.get("Purpose", ""))
    return request.method == "GET" and not in_advance and not is_script(request)


@page(
    *("topic_seen", r"/topics/{topic_id:\d+}/seen", topic_page, May.MARK_READ),
    schema=parameters(required("replies", Ids(MAX_LISTED_IDS)), optional("until", Id(), 0)),
)
def mark_seen(item: TopicItem, request: ForumRequest) -> Response:
    """Mark the replies that were on the screen; with GET, as it is no write of the request.

    until: the one up to which all are read, 0: the place stays, as some before them are not.
    Raises NotFound for replies of another topic, and if no script asks.
    """
    ids, until = request.validated["replies"], request.validated["until"]
    for reply_id in {max(ids, default=0), until or max(ids, default=0)}:
        reply = replies.state(request.db, reply_id)
        if reply is None or reply.topic_id != item.row.id or not is_script(request):
            raise NotFound("This topic has no such reply.")
    newest_id = replies.last_of(request.db, item.row.id) or 0
    _mark(request, item.row.id, ids, newest_id, place=until)
    return Response(status=204)


@page(
    *("topic_read", r"/topics/{topic_id:\d+}/read", for_users(topic_page), May.MARK_READ),
    method="POST",
)
def mark_read(item: TopicItem, request: ForumRequest) -> Response:
    """Mark all replies of a topic as read, and go to the list of unread topics."""
    reading.mark_topic(request.db, request.actor_id, request.now, item.row.id)
    return redirect_with_message(request, "read", "topics_unread")


@page(
    *("reply_unread", r"/replies/{reply_id:\d+}/unread", for_users(reply_page), Common.VIEW),
    method="POST",
)
def mark_unread(item: ReplyItem, request: ForumRequest) -> Response:
    """Mark a reply and all after it as not read, and go to the list of unread topics."""
    row = item.row
    reading.mark_unread(request.db, request.actor_id, request.now, row.topic_id, row.id)
    return redirect_with_message(request, "unread", "topics_unread")
