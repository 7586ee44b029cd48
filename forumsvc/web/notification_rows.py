"""What the cache policy and the view share of a list of notifications: its first SELECT."""

from ..db.keyset_paging import PageRows
from ..queries import notifications
from ..queries.notifications import Filter
from ..resources.notifications import Notifications
from .api.request import ForumRequest


def notification_filter(request: ForumRequest, since: int | None = None) -> Filter:
    """Return which notifications the request asks for. since: only newer ones than this."""
    asked = request.validated
    return Filter(since, tuple(asked["type"] or ()), asked["unread"], asked["topic_id"])


def notification_rows(container: Notifications, request: ForumRequest) -> PageRows:
    """Return the rows of the page that is asked for, loaded once in a request."""
    if request.listed is None:
        only = notification_filter(request, request.validated["since"])
        blocks = request.caller is not None and request.caller.blocks
        request.listed = notifications.rows_of(
            request.db, container.owner_id, request.page, only, with_blocks=blocks
        )
    return request.listed
