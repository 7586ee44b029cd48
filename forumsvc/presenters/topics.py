"""TopicSerializer and TopicDetailSerializer."""

from typing import Any

from ..clock import rfc3339, rfc3339_or_none
from ..queries.rows import TopicListRow, TopicRow
from .site import Site
from .users import user


def topic(site: Site, row: TopicListRow) -> dict[str, Any]:
    replied_at = row.replied_at
    return {
        "id": row.id,
        "title": row.title,
        "node_name": row.node_name,
        "node_id": row.node_id,
        "excellent": row.excellent_at is not None,
        "deleted": row.deleted_at is not None,
        "replies_count": row.replies_count,
        "likes_count": row.likes_count,
        "last_reply_user_id": row.last_reply_user_id,
        "last_reply_user_login": row.last_reply_user_login,
        "user": user(site, row),
        "replied_at": None if replied_at is None else rfc3339(replied_at),
        "created_at": rfc3339(row.created_at),
        "updated_at": rfc3339(row.updated_at),
    }


def topic_detail(site: Site, row: TopicRow, *, pending_hits: int) -> dict[str, Any]:
    """Return a TopicDetailSerializer.

    pending_hits: views that are counted but not yet written to the row.
    """
    return {
        **topic(site, row),
        "closed_at": None if row.closed_at is None else rfc3339(row.closed_at),
        "body": row.body,
        "body_html": row.body_html,
        "hits": row.hits + pending_hits,
        "edited_at": rfc3339_or_none(row.edited_at),
    }
