"""The endpoints of reviews."""

from ..permissions import ReviewPermission as May
from ..queries import reviews
from ..queries.reviews import ReviewFilter, ReviewOrder
from ..resources.reviews import ReviewItem, Reviews
from ..schemas.reviews import RESOLVE_FORM, REVIEW_LIST
from ..services.moderation.decisions import Publication
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.http_cache.etags import if_match
from ..web.responses.results import Detail, Kind, Listing
from ..web.reviews import render_held, resolve, with_details

_NO_VERSION = 0
"""No review has it: the same decision again is answered, any other is too late."""


@api_view(Reviews, "GET", May.VIEW, schema=REVIEW_LIST)
def list_reviews(container: Reviews, request: ForumRequest) -> Listing:
    """List what moderators have to look at, or what they decided."""
    values = request.validated
    author_id = request.user_id_of("user")
    filter_ = ReviewFilter(values["state"], values["kind"], values["node_id"], author_id)
    order = ReviewOrder(values["order"])
    result, cursors = reviews.page_of(request.db, filter_, order, request.page)
    total = reviews.waiting(request.db)[0]
    return Listing(Kind.REVIEW, "reviews", result, cursors, total=total)


@api_view(ReviewItem, "GET", May.VIEW)
def read_review(item: ReviewItem, request: ForumRequest) -> Detail:
    """Return a review with all that a moderator needs to decide."""
    return Detail(Kind.REVIEW, with_details(item, request))


def _render_held(item: ReviewItem, request: ForumRequest) -> Publication | None:
    return render_held(item, request, request.validated)


@api_view(
    ReviewItem,
    "POST",
    May.RESOLVE,
    name="resolve",
    schema=RESOLVE_FORM,
    prework=_render_held,
    locked="row",
)
def resolve_review(item: ReviewItem, request: ForumRequest) -> Detail:
    """Decide on what was reported or held."""
    values = request.validated
    if not if_match(request, item):
        values = {**values, "version": _NO_VERSION}
    resolve(item, request, values, request.prework)
    return Detail(Kind.REVIEW, with_details(item.reloaded(), request))
