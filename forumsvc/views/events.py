"""The endpoint of events, for whoever cannot be reached by a webhook."""

from ..permissions import EventPermission
from ..queries import event_objects, events
from ..resources.events import Events
from ..schemas.events import EVENT_LIST
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import EventListing


@api_view(Events, "GET", EventPermission.VIEW, schema=EVENT_LIST)
def list_events(container: Events, request: ForumRequest) -> EventListing:
    """List what happened, the oldest first."""
    values = request.validated
    result, cursors = events.page_of(request.db, values["type"], values["after"], values["limit"])
    return EventListing(result, event_objects.load(request.db, result), cursors)
