"""A post that waits for a moderator."""

from typing import Any

from ..clock import rfc3339
from ..models import HoldReason
from ..queries.held_posts import HeldPostRow
from ..text.messages import Message
from .site import Site
from .users import person

_HOLD_REASONS = {
    HoldReason.FIRST_POST: Message("It is one of your first posts."),
    HoldReason.WORD: Message("It holds a word that moderators look at."),
    HoldReason.LINKS: Message("It has many links or images for a first post."),
}


def hold_reason(reason: str) -> str:
    """Return why a post is held, in words for its author."""
    return _HOLD_REASONS[HoldReason(reason)]


def held_post(site: Site, row: HeldPostRow) -> dict[str, Any]:
    """Return a post that waits for a moderator. topic_id, reply_id: of the published post, too."""
    return {
        "id": row.id,
        "kind": row.kind,
        "reason": hold_reason(row.reason),
        "state": row.state,
        "node_id": row.node_id,
        "topic_id": row.topic_id,
        "reply_id": row.reply_id,
        "title": row.title,
        "body": row.body,
        "user": person(site, row, "user"),
        "created_at": rfc3339(row.created_at),
    }
