"""Reporting and deciding, for the API and for the pages: from validated values to the services."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any, NamedTuple

from pyramid.httpexceptions import HTTPForbidden

from ..errors import Forbidden, Invalid, NotFound
from ..models import (
    Decision,
    ReportCategory,
    ReviewKind,
    Role,
    SweepAction,
    Visibility,
)
from ..permissions import LogPermission, ReplyPermission, TopicPermission, UserPermission
from ..queries import reports, reviews, users
from ..resources.moderation import AuditLog
from ..resources.reviews import ReviewItem
from ..resources.root import Root
from ..resources.users import UserItem
from ..schemas.moderation import HiddenPosts, Reportable
from ..security.identity import MODERATORS, Level
from ..security.policy import decide
from ..services.moderation import decisions, reporting, restricting, reviewing, sweeping
from ..services.moderation.decisions import Publication
from ..services.moderation.reporting import Reporter, Target
from .api.denial import denial_message
from .api.locking import lock_item
from .api.request import ForumRequest

_RECENT = timedelta(days=7)
"""How old the posts are at most that `hide_posts = recent` hides."""


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
        raise NotFound(f"obj_id: there is no such {kind}.") from None
    caller = request.caller
    if caller is not None and not decide(caller, item, place.permission):
        reason = denial_message(caller, item, place.permission)
        raise Forbidden(reason or f"You may not report this {kind}.")
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
    return reporting.report(
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


def end_of_silence(now: datetime, days: int | None, until: datetime | None) -> datetime | None:
    """Return when a silence ends, None without an end. Raises Invalid."""
    if days is not None and until is not None:
        raise Invalid("days", "cannot be given together with until")
    if until is not None and until <= now:
        raise Invalid("until", "must be in the future")
    return until if days is None else now + timedelta(days=days)


def render_held(
    item: ReviewItem, request: ForumRequest, values: Mapping[str, Any]
) -> Publication | None:
    """Render the held post that a decision publishes; None if it publishes none.

    To be called before anything is locked. Raises NotFound, Conflict, Invalid, RateLimited,
    Unavailable.
    """
    if not decisions.publishes(item.row, Decision(values["decision"])):
        return None
    held = decisions.held_post_of(request.db, item.row)
    authoring = request.authoring
    body = authoring.render(request.db, held.user_id, held.body, title=held.title)
    return Publication(authoring, body)


def hide_posts(request: ForumRequest, user_id: int, values: Mapping[str, Any]) -> None:
    """Let the background worker hide posts of a user who is silenced, as `hide_posts` says."""
    wanted = HiddenPosts(values["hide_posts"])
    if wanted is HiddenPosts.NONE:
        return
    since = request.now - _RECENT if wanted is HiddenPosts.RECENT else None
    sweeping.order(
        *(request.db, request.actor_id, request.now, user_id, SweepAction.HIDE),
        since=since,
        reason=values["reason"],
    )


def resolve(
    item: ReviewItem,
    request: ForumRequest,
    values: Mapping[str, Any],
    publication: Publication | None,
) -> None:
    """Decide on a review, which is locked. publication: of `render_held`.

    Raises Invalid, PreconditionFailed, Conflict, HTTPForbidden.
    """
    days, reason = values["silence_days"], values["reason"]
    if days is not None and not reason:
        raise Invalid("reason", "is required with silence_days: the user is told")
    changed = reviewing.resolve(
        request.db,
        request.actor_id,
        request.now,
        item.row,
        decision=Decision(values["decision"]),
        reason=reason,
        version=values["version"],
        silences=days is not None,
        publication=publication,
    )
    if changed and days is not None:
        _silence_author(item, request, days, reason)


def _silence_author(item: ReviewItem, request: ForumRequest, days: int, reason: str) -> None:
    user: Any = item.root["users"][str(item.row.author_id)]
    verdict = decide(request.caller, user, UserPermission.SILENCE)
    if not verdict:
        raise HTTPForbidden(result=verdict)
    locked: UserItem = lock_item(user, request, UserPermission.SILENCE, whole_row=True)
    restricting.silence_at_least(
        request.db,
        request.actor_id,
        request.now,
        locked.row,
        reason=reason,
        until=request.now + timedelta(days=days),
        review_id=item.row_id,
    )


def with_details(item: ReviewItem, request: ForumRequest) -> ReviewItem:
    """Load the reports, the object and the author of a review."""
    root, row = item.root, item.row
    found: Any = None
    if row.kind == ReviewKind.HELD:
        held = decisions.held_post_of(request.db, row)
        found = root.held_posts.wrap(str(held.id), held)
    elif row.reply_id is not None:
        found = root.replies.wrap(str(row.reply_id), root.replies.load(request.db, row.reply_id))
    elif row.topic_id is not None:
        found = root.topics.wrap(str(row.topic_id), root.topics.load(request.db, row.topic_id))
    item.details = SimpleNamespace(
        reports=reports.of_review(request.db, row.id),
        object=found,
        author=users.by_id(request.db, row.author_id),
        restrictions_count=reviews.restrictions_count(request.db, row.author_id),
    )
    return item


def visible_log(log: AuditLog, request: ForumRequest) -> set[Visibility]:
    """Return what the caller may see of the log. Raises HTTPForbidden."""
    verdict = decide(request.caller, log, LogPermission.VIEW_STAFF)
    if not verdict and not log.is_public:
        raise HTTPForbidden(result=verdict)
    visible = {Visibility.PUBLIC}
    if verdict:
        visible.add(Visibility.STAFF)
    if decide(request.caller, log, LogPermission.VIEW_ADMIN):
        visible.add(Visibility.ADMIN)
    return visible
