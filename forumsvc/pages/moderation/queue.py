"""/moderation: what moderators have to look at, and what they decided."""

from typing import Any

from pyramid.config import Configurator

from ...models import ReviewState
from ...permissions import ReviewPermission
from ...queries import reviews
from ...queries.reviews import ReviewFilter, ReviewListRow, ReviewOrder
from ...resources.reviews import Reviews
from ...web.api.request import ForumRequest
from ..lines import Moment
from ..page_tree import reviews_page
from ..paging import cursor_links, numbered_or_cursor, page_request
from ..views import add_page

STATES = {"moderation": ReviewState.OPEN, "moderation_resolved": ReviewState.RESOLVED}
"""The state that each page shows, by its route."""


def show_queue(container: Reviews, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page: the oldest first, or the latest decision."""
    state = STATES[request.matched_route.name]
    wanted = ReviewFilter(str(state))
    found, cursors = reviews.page_of(request.db, wanted, ReviewOrder.OLDEST, page_request(request))
    return {
        "lines": [_line(request, row) for row in found],
        "here": request.matched_route.name,
        "open": reviews.waiting(request.db)[0],
        **cursor_links(request, cursors),
    }


def _line(request: ForumRequest, row: ReviewListRow) -> dict[str, Any]:
    """Return a review, the path of its page, and when it was opened or decided."""
    moment = Moment.of(request, row.resolved_at or row.opened_at)
    return {"row": row, "path": request.route_path("review", review_id=row.id), "moment": moment}


def includeme(config: Configurator) -> None:
    paths = {"moderation": "/moderation", "moderation_resolved": "/moderation/resolved"}
    for name, path in paths.items():
        page = (name, path, reviews_page, ReviewPermission.VIEW, show_queue)
        add_page(config, *page, template="queue", schema=numbered_or_cursor)
