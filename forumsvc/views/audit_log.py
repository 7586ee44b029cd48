"""The endpoint of the log of moderation."""

from pyramid.httpexceptions import HTTPForbidden

from ..errors import Invalid
from ..models import Visibility
from ..permissions import LogPermission
from ..queries import audit_log
from ..queries.audit_log import LogFilter
from ..resources.audit_log import AuditLog
from ..schemas.audit_log import LOG_LIST
from ..security.policy import decide
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Kind, Listing


@api_view(AuditLog, "GET", LogPermission.VIEW, schema=LOG_LIST)
def list_log(log: AuditLog, request: ForumRequest) -> Listing:
    """List what moderators and administrators did, the newest first."""
    values = request.validated
    filter_ = LogFilter(
        action=values["action"],
        actor_id=request.user_id_of("actor"),
        user_id=request.user_id_of("user"),
        topic_id=values["topic_id"],
        since=values["since"],
        until=values["until"],
    )
    visible = log.visible_to(request.caller)
    if not visible:
        raise HTTPForbidden(result=decide(request.caller, log, LogPermission.VIEW_STAFF))
    if visible == {Visibility.PUBLIC} and (filter_.actor_id or filter_.user_id):
        raise Invalid("actor" if filter_.actor_id else "user", "is for moderators only")
    result, cursors = audit_log.page_of(request.db, visible, filter_, request.page)
    return Listing(Kind.LOG_RECORD, "log", result, cursors)
