"""/notifications: what others did, and buttons to mark it as read and to delete it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import colander
from markupsafe import Markup
from pyramid.response import Response

from .. import clock
from ..models import NotificationType
from ..models.notification import NOTIFICATION_KINDS
from ..permissions import Common, NotificationPermission
from ..queries import nodes, notification_groups, replies
from ..queries.notification_groups import GroupPage, NotificationGroup
from ..queries.notifications import Filter
from ..queries.rows import NodeRow, ReplyDetailRow, UserSummaryRow
from ..resources.notifications import Notifications
from ..schemas.fields import Boolean, optional
from ..services.moderation import notices
from ..services.notifications import inbox
from ..text.ids import MAX_ID, known_ids, parse_id
from ..text.messages import Message
from ..web.api.request import ForumRequest
from ..web.visible_texts import visible_texts
from .lines import Moment, Person
from .page import page, page_form
from .page_tree import notifications_page
from .paging import cursor_links, numbered_or_cursor, page_request
from .paths import node_path, redirect_to_page, topic_path
from .post_html import post_html

_TOPIC_RELEASED = Message("your topic is published:")


def _numbered_or_cursor_with_filter(settings: Any) -> colander.SchemaNode:
    schema = numbered_or_cursor(settings)
    schema.add(optional("unread", Boolean(), default=False))
    return schema


@dataclass(frozen=True, slots=True)
class NotificationLine:
    """A notification, or several that are one group. group: what is counted of it.

    is_one: whether it tells of one thing alone; actor: who did the newest; path, title: of what it
    is about, of several the oldest unread one; path is empty where that is gone; html: the text of
    the reply that one tells of, None without one; moderation: of a word of the moderators its
    action and reason, empty without one; words: what happened, of several with all actors, empty
    for a type of a newer version; until: the end of a silence.
    """

    group: NotificationGroup
    is_one: bool
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
    schema=_numbered_or_cursor_with_filter,
)
def show_notifications(container: Notifications, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page: the groups with the newest notifications first."""
    is_unread = request.validated["unread"]
    only = Filter(is_unread=is_unread)
    result = notification_groups.page_of(
        request.db, container.owner_id, page_request(request), only
    )
    latest = [group.latest for group in result.groups]
    its_replies = replies.details_by_ids(request.db, known_ids(map(_reply_id, result.groups)))
    visible = visible_texts(request, container.root, (), its_replies.values()).replies
    shown_replies = {id_: row for id_, row in its_replies.items() if id_ in visible}
    shown_nodes = nodes.by_ids(request.db, known_ids(row.node_id for row in latest))
    return {
        "lines": [
            _line(request, result, group, shown_replies, shown_nodes) for group in result.groups
        ],
        "newest": result.newest,
        "has_unread": request.page_context.user.unread_count > 0,
        "is_unread": is_unread,
        **cursor_links(request, result.cursors, "&unread=true" if is_unread else ""),
    }


def _line(
    request: ForumRequest,
    result: GroupPage,
    group: NotificationGroup,
    shown_replies: Mapping[int, ReplyDetailRow],
    shown_nodes: Mapping[int, NodeRow],
) -> NotificationLine:
    row, unread, reply_id = group.latest, group.unread_replies, _reply_id(group)
    is_one = _is_one(group)
    actor = Person.of(request, row if unread is None else unread.authors[0])
    moment = Moment.of(request, row.created_at)
    topic = result.topics.get(row.topic_id) if row.topic_id else None
    reply = shown_replies.get(reply_id) if reply_id else None
    node = shown_nodes.get(row.node_id) if row.node_id else None
    html = None
    details = json.loads(row.details) if row.details else {}
    # A dump can hold anything.
    is_notice = isinstance(details, dict) and isinstance(details.get("action"), str)
    moderation = details if is_notice else {}
    end = clock.parse_rfc3339(str(moderation.get("until") or ""))
    until = None if end is None else Moment.of(request, end)
    if moderation:
        actor = Person("", request.site_texts.name, "", actor.avatar)
    if row.type == NotificationType.FOLLOW:
        path, title = actor.path, ""
    elif topic is None:
        path, title = "", moderation.get("title") or ""
    elif reply_id is not None:
        path, title = request.route_path("reply", reply_id=reply_id), topic.title
    elif row.type == NotificationType.NODE_CHANGED and node is not None:
        path, title = node_path(request, node.id), f"{topic.title} → {node.name}"
    else:
        path, title = topic_path(request, topic.id), topic.title
    if reply is not None and is_one:
        path_of_topic = topic_path(request, reply.topic_id)
        html = post_html(reply.body_html, path_of_topic, reply_id=reply.id, levels=1)
    words = notices.WORDS.get(moderation["action"], moderation["action"]) if moderation else ""
    if moderation and moderation["action"] == "held_post.released" and row.reply_id is None:
        words = _TOPIC_RELEASED
    if row.type in NOTIFICATION_KINDS and not moderation:
        kind = NOTIFICATION_KINDS[NotificationType(row.type)]
        words = kind.words
        if kind.unread is not None and unread is not None and not is_one:
            people = _people(request, unread.authors, unread.authors_count)
            words = Message(kind.unread.msgid, num=unread.count, people=people)
        elif kind.many is not None and not is_one:
            people = _people(request, group.actors, group.actors_count)
            words = Message(kind.many.msgid, num=group.count, people=people)
    return NotificationLine(
        group, is_one, actor, moment, path, title, html, moderation, words, until
    )


def _is_one(group: NotificationGroup) -> bool:
    """Return whether a group tells of one thing: its only one, or its newest, alone unread."""
    if group.unread_replies is not None:
        return group.unread_replies.count == 1
    return group.count == 1 or (group.unread_count == 1 and group.latest.read_at is None)


def _reply_id(group: NotificationGroup) -> int | None:
    """Return to which reply a group leads: the oldest unread one, else the newest, or None."""
    if group.unread_replies is not None:
        return group.unread_replies.first_id
    return group.first_unread_reply_id if group.unread_count else group.latest.reply_id


def _people(request: ForumRequest, shown: Sequence[UserSummaryRow], count: int) -> Message | Markup:
    """Return who of `count` people are shown: all of three, or two and how many others."""
    links = [
        Markup('<a href="%s">%s</a>') % (person.path, person.login)
        for person in (Person.of(request, row) for row in shown)
    ]
    others = count - len(links)
    if len(links) == 1:
        return links[0]
    if others:
        values = {"one": links[0], "another": links[1], "num": others + len(links) - 2}
        return Message("%(one)s, %(another)s and %(num)d others", **values)
    both = {"one": links[-2], "another": links[-1]}
    if len(links) == 2:
        return Message("%(one)s and %(another)s", **both)
    return Message("%(first)s, %(one)s and %(another)s", first=links[0], **both)


@page(
    "notifications_read",
    "/notifications/read",
    notifications_page,
    NotificationPermission.MARK_READ,
    method="POST",
)
def read_notifications(container: Notifications, request: ForumRequest) -> Response:
    """Mark an entry as read, or all, but not what came after the first page was shown."""
    entry = parse_id(str(request.parameters.get("entry") or ""))
    newest = parse_id(str(request.parameters.get("newest") or ""))
    if entry is not None:
        inbox.mark_group_read(request.db, container.owner_id, request.now, entry)
    elif newest is not None:
        before = min(newest + 1, MAX_ID)
        inbox.mark_all_read(request.db, container.owner_id, request.now, before=before)
    shown = "true" if request.parameters.get("unread") == "true" else None
    return redirect_to_page(request, "notifications", unread=shown)


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
