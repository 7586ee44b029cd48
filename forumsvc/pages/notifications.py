"""/notifications: what others did, and buttons to mark it as read and to delete it."""

import json
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from pyramid.response import Response

from .. import clock
from ..models import NotificationType
from ..models.notification import NOTIFICATION_KINDS
from ..permissions import Common, NotificationPermission
from ..queries import notifications
from ..queries.notifications import NotificationPage
from ..queries.rows import NotificationRow
from ..resources.notifications import Notifications
from ..services.moderation import notices
from ..services.notifications import inbox
from ..text.ids import parse_id
from ..web.api.request import ForumRequest
from .lines import Moment, Person
from .page import page, page_form
from .page_tree import notifications_page
from .paging import cursor_links, numbered_or_cursor, page_request
from .paths import node_path, redirect_to_page, topic_path
from .post_html import post_html


@dataclass(frozen=True, slots=True)
class NotificationLine:
    """A notification. path, title: of what it is about; path is empty where that is gone.

    html: the text of the reply that it tells of, None without one; moderation: of a word of the
    moderators its action and reason, empty without one; words: what happened, empty for a type of
    a newer version; until: the end of a silence.
    """

    row: NotificationRow
    actor: Person
    moment: Moment
    path: str
    title: str
    html: Markup | None
    moderation: dict[str, str | None]
    words: str
    until: Moment | None


@page(
    "notifications",
    "/notifications",
    notifications_page,
    Common.VIEW,
    "notifications",
    schema=numbered_or_cursor,
)
def show_notifications(container: Notifications, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page: the newest notifications first."""
    result = notifications.page_of(request.db, container.owner_id, page_request(request))
    return {
        "lines": [_line(request, result, row) for row in result.notifications],
        "newest": result.notifications[0].id if result.notifications else None,
        "has_unread": request.page_context.user.unread_count > 0,
        **cursor_links(request, result.cursors),
    }


def _line(
    request: ForumRequest, result: NotificationPage, row: NotificationRow
) -> NotificationLine:
    actor, moment = Person.of(request, row), Moment.of(request, row.created_at)
    topic = result.topics.get(row.topic_id) if row.topic_id else None
    reply = result.replies.get(row.reply_id) if row.reply_id else None
    node = result.nodes.get(row.node_id) if row.node_id else None
    html = None
    details = json.loads(row.details) if row.details else {}
    # A dump can hold anything.
    is_notice = isinstance(details, dict) and isinstance(details.get("action"), str)
    moderation = details if is_notice else {}
    end = clock.parse_rfc3339(str(moderation.get("until") or ""))
    until = None if end is None else Moment.of(request, end)
    if moderation:
        actor = Person("", request.settings["site.name"], "", actor.avatar)
    if row.type == NotificationType.FOLLOW:
        path, title = actor.path, ""
    elif topic is None:
        path, title = "", moderation.get("title") or ""
    elif reply is not None:
        path, title = request.route_path("reply", reply_id=reply.id), topic.title
        if reply.deleted_at is None:
            html = post_html(reply.body_html, topic_path(request, topic.id), reply_id=reply.id)
    elif row.type == NotificationType.NODE_CHANGED and node is not None:
        path, title = node_path(request, node.id), f"{topic.title} → {node.name}"
    else:
        path, title = topic_path(request, topic.id), topic.title
    words = notices.WORDS.get(moderation["action"], moderation["action"]) if moderation else ""
    if row.type in NOTIFICATION_KINDS and not moderation:
        words = NOTIFICATION_KINDS[NotificationType(row.type)].words
    return NotificationLine(row, actor, moment, path, title, html, moderation, words, until)


@page(
    "notifications_read",
    "/notifications/read",
    notifications_page,
    NotificationPermission.MARK_READ,
    method="POST",
)
def read_notifications(container: Notifications, request: ForumRequest) -> Response:
    """Mark as read what the page showed and everything older."""
    newest = parse_id(str(request.parameters.get("newest") or ""))
    if newest is not None:
        inbox.mark_all_read(request.db, container.owner_id, request.now, newest)
    return redirect_to_page(request, "notifications")


@page(
    "notifications_delete",
    "/notifications/delete",
    notifications_page,
    NotificationPermission.DESTROY,
    "delete_notifications",
)
def ask_to_delete(container: Notifications, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page that asks first."""
    return {}


@page_form(ask_to_delete)
def delete_notifications(container: Notifications, request: ForumRequest) -> Response:
    inbox.delete_all(request.db, container.owner_id)
    return redirect_to_page(request, "notifications")
