"""The draft endpoints: texts that the caller has begun."""

from ..errors import NotFound
from ..permissions import DraftPermission as May
from ..queries import drafts as reading
from ..resources.drafts import DraftItem, Drafts
from ..schemas.drafts import DRAFT_LIST, check_key, draft_form
from ..services.posts import drafts, topics
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Detail, Kind, Listing, Ok


@api_view(Drafts, "GET", May.VIEW, schema=DRAFT_LIST)
def list_drafts(container: Drafts, request: ForumRequest) -> Listing:
    """List the caller's drafts, the one changed last first."""
    result = reading.of_user(request.db, request.actor_id, request.page)
    return Listing(Kind.DRAFT, "drafts", *result)


@api_view(DraftItem, "GET", May.VIEW)
def read_draft(item: DraftItem, request: ForumRequest) -> Detail:
    return Detail(Kind.DRAFT, _existing(item))


@api_view(DraftItem, "PUT", May.SAVE, schema=draft_form, locked="row")
def save_draft(item: DraftItem, request: ForumRequest) -> Detail:
    """Save a whole draft, also where there was none."""
    key, values = check_key(item.__name__), request.validated
    if values["node_id"] is not None:
        topics.check_node(request.db, values["node_id"])
    is_new = drafts.save(request.db, request.actor_id, request.now, key, **values)
    return Detail(Kind.DRAFT, item.reloaded(), is_new=is_new)


@api_view(DraftItem, "DELETE", May.DESTROY, locked="row")
def delete_draft(item: DraftItem, request: ForumRequest) -> Ok:
    drafts.delete(request.db, request.actor_id, _existing(item).__name__)
    return Ok()


def _existing(item: DraftItem) -> DraftItem:
    """Return the item. Raises Invalid for a wrong key, NotFound without a draft."""
    check_key(item.__name__)
    if item.row is None:
        raise NotFound("There is no such draft.")
    return item
