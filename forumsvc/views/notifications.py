"""The notification endpoints: always the caller's own."""

from ..models import MentionType
from ..permissions import Common, NotificationPermission
from ..presenters.notifications import PostTexts
from ..queries import notification_groups, notifications
from ..queries.notifications import Filter
from ..resources.notifications import NotificationItem, Notifications
from ..schemas.including import Include, with_include
from ..schemas.notifications import GROUP_LIST, NOTIFICATION_LIST, READ_ALL_FORM, READ_FORM
from ..services.notifications import inbox
from ..text.ids import known_ids
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Count, GroupListing, NotificationListing, Ok
from ..web.visible_texts import visible_texts


@api_view(
    *(Notifications, "GET", Common.VIEW), schema=with_include(NOTIFICATION_LIST, Include.TEXT)
)
def list_notifications(container: Notifications, request: ForumRequest) -> NotificationListing:
    """List the caller's notifications, or some of them."""
    only = Filter(request.validated["since"], *_filters(request))
    page = notifications.page_of(request.db, container.owner_id, request.page, only)
    with_texts = request.includes(Include.TEXT)
    mentioning = known_ids(
        item.topic_id
        for item in page.notifications
        if with_texts and item.mention_type == MentionType.TOPIC
    )
    topics = [page.topics[id_] for id_ in mentioning]
    visible = visible_texts(request, container.root, topics, page.replies.values())
    bodies = notifications.topic_bodies(request.db, [*visible.topics]) if with_texts else None
    return NotificationListing(page, PostTexts(visible.replies, bodies))


def _filters(request: ForumRequest) -> tuple[tuple[str, ...], bool, int | None]:
    asked = request.validated
    return tuple(asked["type"] or ()), asked["unread"], asked["topic_id"]


@api_view(Notifications, "GET", Common.VIEW, name="groups", schema=GROUP_LIST)
def list_groups(container: Notifications, request: ForumRequest) -> GroupListing:
    """List the caller's notifications in groups: all mentions of a topic, all its replies."""
    only = Filter(None, *_filters(request))
    return GroupListing(
        notification_groups.page_of(request.db, container.owner_id, request.page, only)
    )


@api_view(Notifications, "GET", Common.VIEW, name="unread_count")
def count_unread(container: Notifications, request: ForumRequest) -> Count:
    """Count the caller's unread notifications."""
    return Count(notifications.unread_count(request.db, container.owner_id))


@api_view(Notifications, "POST", NotificationPermission.MARK_READ, name="read", schema=READ_FORM)
def mark_read(container: Notifications, request: ForumRequest) -> Ok:
    inbox.mark_read(request.db, container.owner_id, request.now, request.validated["ids"])
    return Ok()


@api_view(
    *(Notifications, "POST", NotificationPermission.MARK_READ),
    name="read_all",
    schema=READ_ALL_FORM,
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
