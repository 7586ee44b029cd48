"""Reports of members, for the API and for the pages."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import Forbidden, NotFound
from ..models import ReportCategory, Role
from ..models.user import MODERATORS
from ..permissions import ReplyPermission, TopicPermission, UserPermission
from ..queries import users
from ..resources.root import Root
from ..schemas.reports import Reportable
from ..security.denial import denial_message
from ..security.identity import Level
from ..security.policy import decide
from ..services.moderation import reports
from ..services.moderation.reports import Reporter, Target
from .api.request import ForumRequest


class _Place(NamedTuple):
    container: str
    permission: str


_PLACES = {
    Reportable.TOPIC: _Place("topics", TopicPermission.REPORT),
    Reportable.REPLY: _Place("replies", ReplyPermission.REPORT),
    Reportable.USER: _Place("users", UserPermission.REPORT),
}


def report_target(root: Root, request: ForumRequest, kind: Reportable, obj_id: str) -> Target:
    """Return what the caller may report. Raises NotFound, Forbidden."""
    place = _PLACES[kind]
    try:
        item: Any = root[place.container][obj_id]
    except KeyError:
        raise NotFound(f"obj_id: there is no such {kind}.", "obj_id") from None
    caller = request.caller
    if caller is not None and not decide(caller, item, place.permission):
        otherwise = f"You may not report this {kind}."
        raise Forbidden(denial_message(caller, item, place.permission, otherwise))
    row, key = item.row, f"{kind}:{item.row_id}"
    if kind == Reportable.USER:
        return Target(key, row.user_id)
    author = users.by_id(request.executor, row.user_id)
    is_hideable = author is not None and author.role not in MODERATORS
    if kind == Reportable.TOPIC:
        return Target(key, row.user_id, topic_id=row.id, is_hideable=is_hideable)
    reply = root.replies.load(request.executor, row.id)
    assert reply is not None, "replies stay"  # noqa: S101
    return Target(key, row.user_id, reply.topic_id, row.id, is_hideable)


def report(request: ForumRequest, target: Target, values: Mapping[str, Any]) -> tuple[int, bool]:
    """Store a report; return its id and whether it is new. Raises RateLimited."""
    request.registry.report_limit.count(request)
    return reports.report(
        request.db,
        _reporter(request),
        request.now,
        target,
        category=ReportCategory(values["category"]),
        comment=values["comment"],
        hide_after=request.settings["moderation.hide_after"],
    )


def _reporter(request: ForumRequest) -> Reporter:
    caller = request.caller
    assert caller is not None, "the ACL grants this to users only"  # noqa: S101
    is_established = caller.level != Level.NEWBIE
    role = caller.level if is_established and caller.level is not None else Role.MEMBER
    return Reporter(request.actor_id, role, is_established)
