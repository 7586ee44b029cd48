"""Deciding on reviews, for the API and for the pages."""

from collections.abc import Mapping
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from pyramid.httpexceptions import HTTPForbidden

from ..errors import Invalid
from ..models import Decision, ReviewKind
from ..permissions import UserPermission
from ..queries import reports, reviews, users
from ..resources.reviews import ReviewItem
from ..resources.users import UserItem
from ..security.policy import decide
from ..services.moderation import decisions, restrictions
from ..services.moderation.decisions import Verdict
from ..services.moderation.held_posts import Publication
from .api.locking import lock_item
from .api.request import ForumRequest


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
    body = authoring.render(held.user_id, held.body, title=held.title)
    return Publication(authoring, body)


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
        raise Invalid("reason", "is required to silence the author, who is told")
    decision, version = Decision(values["decision"]), values["version"]
    verdict = Verdict(decision, reason, version, days is not None, publication)
    actor_id, now = request.actor_id, request.now
    changed = decisions.resolve(request.db, actor_id, now, item.row, verdict)
    if changed and days is not None:
        _silence_author(item, request, days, reason)


def _silence_author(item: ReviewItem, request: ForumRequest, days: int, reason: str) -> None:
    user: Any = item.root["users"][str(item.row.author_id)]
    verdict = decide(request.caller, user, UserPermission.SILENCE)
    if not verdict:
        raise HTTPForbidden(result=verdict)
    locked: UserItem = lock_item(user, request, UserPermission.SILENCE, whole_row=True)
    restrictions.silence_at_least(
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
