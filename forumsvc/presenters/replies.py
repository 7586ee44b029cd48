"""ReplySerializer and ReplyDetailSerializer."""

from typing import Any

from ..clock import rfc3339, rfc3339_or_none
from ..queries.rows import ReplyDetailRow, ReplyListRow
from .site import Site
from .users import user


def reply(site: Site, row: ReplyListRow) -> dict[str, Any]:
    """Return a ReplySerializer; a deleted reply has no text."""
    deleted = row.deleted_at is not None
    return _reply(site, row, "" if deleted else row.body_html)


def reply_detail(site: Site, row: ReplyDetailRow) -> dict[str, Any]:
    """Return a ReplyDetailSerializer; a caller who may see a deleted reply sees its text."""
    return {
        **_reply(site, row, row.body_html),
        "topic_title": row.topic_title,
        "body": row.body,
        "edited_at": rfc3339_or_none(row.edited_at),
    }


def _reply(site: Site, row: ReplyListRow, body_html: str) -> dict[str, Any]:
    return {
        "id": row.id,
        "body_html": body_html,
        "topic_id": row.topic_id,
        "deleted": row.deleted_at is not None,
        "likes_count": row.likes_count,
        "user": user(site, row),
        "created_at": rfc3339(row.created_at),
        "updated_at": rfc3339(row.updated_at),
    }
