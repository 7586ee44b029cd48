"""NotificationSerializer, with the topics, replies and nodes that it refers to."""

import json
from collections.abc import Callable, Container, Mapping
from typing import Any, NamedTuple

from ..clock import rfc3339
from ..models import MentionType, NotificationType
from ..queries.notification_groups import GroupPage, NotificationGroup
from ..queries.notifications import NotificationPage
from ..queries.rows import NotificationRow, TopicListRow, UserSummaryRow
from ..queries.topic_reads import UnreadReplies
from .nodes import node
from .replies import reply
from .site import Site
from .users import user

Present = Callable[[TopicListRow], dict[str, Any]]


class PostTexts(NamedTuple):
    """The texts that are shown. replies: the ids of those with one; topics: the sources by id.

    topics: None where no sources are asked for, neither of replies.
    """

    replies: Container[int]
    topics: Mapping[int, str] | None


def notifications(
    site: Site, page: NotificationPage, show_topic: Present, texts: PostTexts
) -> list[dict[str, Any]]:
    """Return a NotificationSerializer for each of a page.

    show_topic: how a topic is presented; texts: what stands in `body_html` of a reply and, if asked
    for, in `body` of it or of a mention; that of other posts is empty and null.
    """
    return [_notification(site, page, row, show_topic, texts) for row in page.notifications]


def notification_groups(site: Site, page: GroupPage, show_topic: Present) -> list[dict[str, Any]]:
    """Return the groups of a page. show_topic: how a topic is presented."""
    return [_group(site, page, group, show_topic) for group in page.groups]


def _group(
    site: Site, page: GroupPage, group: NotificationGroup, show_topic: Present
) -> dict[str, Any]:
    latest = group.latest
    its_topic = page.topics.get(latest.topic_id) if latest.topic_id else None
    return {
        "type": latest.type,
        "topic": show_topic(its_topic) if its_topic else None,
        "actors": [_actor(site, latest.type, actor) for actor in group.actors],
        "actors_count": group.actors_count,
        "count": group.count,
        "unread_count": group.unread_count,
        "unread_replies": _unread_replies(site, group.unread_replies),
        "latest_at": rfc3339(latest.created_at),
        "ids": [*group.ids],
    }


def _unread_replies(site: Site, replies: UnreadReplies | None) -> dict[str, Any] | None:
    if replies is None:
        return None
    return {
        "count": replies.count,
        "first_reply_id": replies.first_id,
        "authors": [user(site, author) for author in replies.authors],
        "authors_count": replies.authors_count,
    }


def _actor(site: Site, type_: str, row: UserSummaryRow) -> dict[str, Any]:
    shown = user(site, row)
    return {**shown, "name": site.name} if type_ == NotificationType.MODERATION else shown


def _notification(
    site: Site,
    page: NotificationPage,
    row: NotificationRow,
    show_topic: Present,
    texts: PostTexts,
) -> dict[str, Any]:
    its_topic = page.topics.get(row.topic_id) if row.topic_id else None
    its_reply = page.replies.get(row.reply_id) if row.reply_id else None
    its_node = page.nodes.get(row.node_id) if row.node_id else None
    shown_topic = show_topic(its_topic) if its_topic else None
    shown_reply = reply(site, its_reply) if its_reply else None
    is_mention = row.type == NotificationType.MENTION
    in_reply = row.mention_type == MentionType.REPLY
    mention = shown_reply if in_reply else shown_topic
    if its_reply is not None and shown_reply is not None:
        has_text = its_reply.id in texts.replies
        if not has_text:
            shown_reply["body_html"] = ""
        if texts.topics is not None:
            shown_reply["body"] = its_reply.body if has_text else None
    if texts.topics is not None and is_mention and not in_reply and shown_topic is not None:
        mention = {**shown_topic, "body": texts.topics.get(shown_topic["id"])}
    details: dict[str, Any] = {}
    if row.type == NotificationType.MODERATION:
        details = json.loads(row.details or "{}")
        details.pop("topic_id", None)
    return {
        **details,
        "id": row.id,
        "type": row.type,
        "read": row.read_at is not None,
        "actor": _actor(site, row.type, page.actors[row.actor_id]),
        "mention_type": row.mention_type,
        "mention": mention if is_mention else None,
        "topic": shown_topic,
        "reply": shown_reply if row.type == NotificationType.TOPIC_REPLY else None,
        "node": node(its_node) if its_node else None,
        "created_at": rfc3339(row.created_at),
        "updated_at": rfc3339(row.updated_at),
    }
