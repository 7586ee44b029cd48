"""The endpoints that silence and warn users, and the list of what was decided."""

from pyramid.httpexceptions import HTTPForbidden

from ..errors import Invalid
from ..permissions import UserPermission as May
from ..queries import restrictions
from ..resources.users import UserItem
from ..schemas.paging import PAGED
from ..schemas.restrictions import REASON_FORM, SILENCE_FORM, WARNING_FORM
from ..security.policy import decide
from ..services.moderation import restrictions as restriction_service
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Detail, Kind, Listing


@api_view(UserItem, "POST", May.SILENCE, name="silence", schema=SILENCE_FORM, locked="row")
def silence(item: UserItem, request: ForumRequest) -> Detail:
    """Let a user only read, for some days or without an end."""
    restriction_service.silence_by_form(
        request.db, request.actor_id_or_none, request.now, item.row, request.validated
    )
    return Detail(Kind.USER, item.reloaded())


@api_view(UserItem, "POST", May.UNSILENCE, name="unsilence", schema=REASON_FORM, locked="row")
def unsilence(item: UserItem, request: ForumRequest) -> Detail:
    """Let a user write again."""
    reason = request.validated["reason"]
    restriction_service.end_silence(
        request.db, request.actor_id_or_none, request.now, item.row, reason=reason
    )
    return Detail(Kind.USER, item.reloaded())


@api_view(UserItem, "POST", May.WARN, name="warn", schema=WARNING_FORM, locked="row")
def warn(item: UserItem, request: ForumRequest) -> Detail:
    """Warn a user, perhaps about a topic or a reply."""
    values = request.validated
    restriction_service.warn(
        request.db,
        request.actor_id_or_none,
        request.now,
        item.row,
        reason=values["reason"],
        note=values["note"],
        topic_id=_topic_of(item, values["topic_id"], values["reply_id"]),
        reply_id=values["reply_id"],
    )
    return Detail(Kind.USER, item.reloaded())


def _topic_of(item: UserItem, topic_id: int | None, reply_id: int | None) -> int | None:
    """Return the topic of a warning.

    Raises Invalid where there is no such topic or reply, or it is not the user's.
    """
    topics, replies = item.root.topics, item.root.replies
    user_id = item.row_id
    if reply_id is not None:
        reply = replies.load(item.root.executor, reply_id)
        if reply is None or reply.user_id != user_id:
            raise Invalid("reply_id", "must be a reply of this user")
        return reply.topic_id
    if topic_id is not None:
        topic = topics.load(item.root.executor, topic_id)
        if topic is None or topic.user_id != user_id:
            raise Invalid("topic_id", "must be a topic of this user")
    return topic_id


@api_view(UserItem, "GET", May.VIEW_RESTRICTIONS, name="restrictions", schema=PAGED)
def list_restrictions(item: UserItem, request: ForumRequest) -> Listing:
    """List the silences and warnings of a user: for the user, without notes for moderators."""
    verdict = decide(request.caller, item, May.VIEW_NOTES)
    is_own = item.row_id == request.actor_id_or_none
    if not verdict and not is_own:
        raise HTTPForbidden(result=verdict)
    result, cursors = restrictions.of_user(
        request.db, item.row_id, request.page, with_notes=bool(verdict)
    )
    return Listing(Kind.RESTRICTION, "restrictions", result, cursors)
