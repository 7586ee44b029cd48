"""NotificationSerializer, with the topics, replies and nodes that it refers to."""

import json
from collections.abc import Callable
from typing import Any

from ..clock import rfc3339
from ..models import MentionType, NotificationType
from ..queries.notifications import NotificationPage
from ..queries.rows import NotificationRow, TopicListRow
from .nodes import node
from .replies import reply
from .site import Site
from .users import user

Present = Callable[[TopicListRow], dict[str, Any]]


def notifications(site: Site, page: NotificationPage, show_topic: Present) -> list[dict[str, Any]]:
    """Return a NotificationSerializer for each of a page. show_topic: how a topic is presented."""
    return [_notification(site, page, row, show_topic) for row in page.notifications]


def _notification(
    site: Site, page: NotificationPage, row: NotificationRow, show_topic: Present
) -> dict[str, Any]:
    its_topic = page.topics.get(row.topic_id) if row.topic_id else None
    its_reply = page.replies.get(row.reply_id) if row.reply_id else None
    its_node = page.nodes.get(row.node_id) if row.node_id else None
    shown_topic = show_topic(its_topic) if its_topic else None
    shown_reply = reply(site, its_reply) if its_reply else None
    is_mention = row.type == NotificationType.MENTION
    in_reply = row.mention_type == MentionType.REPLY
    actor = user(site, row)
    details: dict[str, Any] = {}
    if row.type == NotificationType.MODERATION:
        actor["name"] = site.name
        details = json.loads(row.details or "{}")
        details.pop("topic_id", None)
    return {
        **details,
        "id": row.id,
        "type": row.type,
        "read": row.read_at is not None,
        "actor": actor,
        "mention_type": row.mention_type,
        "mention": (shown_reply if in_reply else shown_topic) if is_mention else None,
        "topic": shown_topic,
        "reply": shown_reply if row.type == NotificationType.TOPIC_REPLY else None,
        "node": node(its_node) if its_node else None,
        "created_at": rfc3339(row.created_at),
        "updated_at": rfc3339(row.updated_at),
    }
