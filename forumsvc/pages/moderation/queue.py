"""/moderation: what moderators have to look at, and what they decided."""

from functools import partial
from typing import Any

import colander

from ...errors import Invalid
from ...models import ReviewKind, ReviewState
from ...permissions import ReviewPermission
from ...queries import reviews, users
from ...queries.reviews import ReviewFilter, ReviewListRow, ReviewOrder, ReviewPreview
from ...resources.reviews import Reviews
from ...schemas.fields import Choice, Line, optional, quoted
from ...schemas.reviews import MAX_USER
from ...text.messages import Clause
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message
from ..lines import Moment
from ..page import page
from ..page_tree import reviews_page
from ..paging import cursor_links, numbered_or_cursor, page_request
from ..previews import beginning

STATES = {"moderation": ReviewState.OPEN, "moderation_resolved": ReviewState.RESOLVED}
"""The state that each page shows, by its route."""


def _schema(settings: Any) -> colander.SchemaNode:
    schema = numbered_or_cursor(settings)
    schema.add(optional("kind", Choice(ReviewKind)))
    schema.add(optional("user", Line(1, MAX_USER)))
    return schema


_queue_page = partial(
    page, factory=reviews_page, permission=ReviewPermission.VIEW, template="queue", schema=_schema
)


@_queue_page("moderation", "/moderation")
@_queue_page("moderation_resolved", "/moderation/resolved")
def show_queue(container: Reviews, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page: the oldest first, or the latest decision."""
    state = STATES[request.matched_route.name]
    kind, login = request.validated["kind"], request.validated["user"]
    filter_ = ReviewFilter(str(state), kind=kind, user_id=_user_id(request, login))
    result, cursors = reviews.page_of(
        request.db, filter_, ReviewOrder.OLDEST, page_request(request)
    )
    previews = reviews.previews(request.db, [row.id for row in result])
    chosen = {"kind": kind, "user": login}
    return {
        "lines": [_line(request, row, previews[row.id]) for row in result],
        "here": request.matched_route.name,
        "kinds": [None, *ReviewKind],
        "kind": kind,
        "user": login,
        "open": reviews.waiting(request.db)[0],
        "flash_message": flash_message(request),
        **cursor_links(request, cursors, "".join(f"&{k}={v}" for k, v in chosen.items() if v)),
    }


def _user_id(request: ForumRequest, login: str | None) -> int | None:
    """Return the id of the author in the filter. Raises Invalid."""
    if login is None:
        return None
    user_id = users.id_of(request.db, login)
    if user_id is None:
        raise Invalid("user", Clause("there is no user %(name)s", name=quoted(login)))
    return user_id


def _line(request: ForumRequest, row: ReviewListRow, preview: ReviewPreview) -> dict[str, Any]:
    """Return a review with the beginning of its post, and when it was opened or decided."""
    return {
        "row": row,
        "path": request.route_path("review", review_id=row.id),
        "moment": Moment.of(request, row.resolved_at or row.opened_at),
        "beginning": beginning(preview.beginning or ""),
        "categories": sorted(set(preview.categories.split(","))) if preview.categories else [],
    }
