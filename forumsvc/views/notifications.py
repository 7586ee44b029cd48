"""The notification endpoints: always the caller's own."""

from ..permissions import Common, NotificationPermission
from ..queries import notifications
from ..resources.notifications import NotificationItem, Notifications
from ..schemas.notifications import NOTIFICATION_LIST, READ_FORM
from ..services.notifications import inbox
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Count, NotificationListing, Ok


@api_view(Notifications, "GET", Common.VIEW, schema=NOTIFICATION_LIST)
def list_notifications(container: Notifications, request: ForumRequest) -> NotificationListing:
    """List the caller's notifications, or those newer than a given one."""
    since = request.validated["since"]
    return NotificationListing(
        notifications.page_of(request.db, container.owner_id, request.page, since)
    )


@api_view(Notifications, "GET", Common.VIEW, name="unread_count")
def count_unread(container: Notifications, request: ForumRequest) -> Count:
    """Count the caller's unread notifications."""
    return Count(notifications.unread_count(request.db, container.owner_id))


@api_view(Notifications, "POST", NotificationPermission.MARK_READ, name="read", schema=READ_FORM)
def mark_read(container: Notifications, request: ForumRequest) -> Ok:
    inbox.mark_read(request.db, container.owner_id, request.now, request.validated["ids"])
    return Ok()


@api_view(Notifications, "DELETE", NotificationPermission.DESTROY, name="all")
def delete_all(container: Notifications, request: ForumRequest) -> Ok:
    """Delete all of the caller's notifications."""
    inbox.delete_all(request.db, container.owner_id)
    return Ok()


@api_view(NotificationItem, "DELETE", NotificationPermission.DESTROY)
def delete_one(item: NotificationItem, request: ForumRequest) -> Ok:
    """Delete one of the caller's notifications."""
    inbox.delete_one(request.db, request.actor_id, item.row.id)
    return Ok()
