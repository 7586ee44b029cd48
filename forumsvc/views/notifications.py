"""The notification endpoints: always the caller's own."""

from ..models import MentionType
from ..permissions import Common, NotificationPermission
from ..presenters.notifications import PostTexts
from ..queries import notification_groups, notifications
from ..resources.notifications import NotificationItem, Notifications
from ..schemas import notifications as schemas
from ..schemas.including import Include, with_include
from ..services.notifications import inbox
from ..text.ids import known_ids
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.http_cache.cache_policy import NOTIFICATION_LIST
from ..web.notification_rows import notification_filter, notification_rows
from ..web.responses.results import Count, GroupListing, NotificationListing, Ok
from ..web.visible_texts import visible_texts


@api_view(
    *(Notifications, "GET", Common.VIEW),
    schema=with_include(schemas.NOTIFICATION_LIST, Include.TEXT),
    cache_policy=NOTIFICATION_LIST,
)
def list_notifications(container: Notifications, request: ForumRequest) -> NotificationListing:
    """List the caller's notifications, or some of them."""
    page = notifications.page_of(request.db, notification_rows(container, request))
    with_texts = request.includes(Include.TEXT)
    mentioning = known_ids(
        item.topic_id
        for item in page.notifications
        if with_texts and item.mention_type == MentionType.TOPIC
    )
    topics = [page.topics[id_] for id_ in mentioning]
    posts = topics, page.replies.values()
    visible = visible_texts(request, container.root, *posts, blocked=page.blocked)
    bodies = notifications.topic_bodies(request.db, [*visible.topics]) if with_texts else None
    return NotificationListing(page, PostTexts(visible.replies, bodies))


@api_view(Notifications, "GET", Common.VIEW, name="groups", schema=schemas.GROUP_LIST)
def list_groups(container: Notifications, request: ForumRequest) -> GroupListing:
    """List the caller's notifications in groups: all mentions of a topic, all its replies."""
    only = notification_filter(request)
    return GroupListing(
        notification_groups.page_of(request.db, container.owner_id, request.page, only)
    )


@api_view(Notifications, "GET", Common.VIEW, name="unread_count")
def count_unread(container: Notifications, request: ForumRequest) -> Count:
    """Count the caller's unread notifications."""
    if request.access is not None:
        return Count(request.access.unread_count)
    return Count(notifications.unread_count(request.db, container.owner_id))


@api_view(
    *(Notifications, "POST", NotificationPermission.MARK_READ),
    name="read",
    schema=schemas.READ_FORM,
)
def mark_read(container: Notifications, request: ForumRequest) -> Ok:
    inbox.mark_read(request.db, container.owner_id, request.now, request.validated["ids"])
    return Ok()


@api_view(
    *(Notifications, "POST", NotificationPermission.MARK_READ),
    name="read_all",
    schema=schemas.READ_ALL_FORM,
)
def mark_all_read(container: Notifications, request: ForumRequest) -> Ok:
    """Mark all of the caller's notifications as read, or those before one, or about a topic."""
    inbox.mark_all_read(request.db, container.owner_id, request.now, **request.validated)
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
