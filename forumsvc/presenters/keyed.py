"""The fields that the keyed envelope adds, for clients of the public forum engine."""

from typing import Any

from ..clock import rfc3339
from ..queries.rows import ReplyListRow, TopicListRow


def _grade(row: TopicListRow) -> str:
    if row.banned_at is not None:
        return "ban"
    return "normal" if row.excellent_at is None else "excellent"


def topic_additions(row: TopicListRow, *, pending_hits: int) -> dict[str, Any]:
    """Return the additional fields of a topic."""
    return {
        "excellent": int(row.excellent_at is not None),
        "closed_at": None if row.closed_at is None else rfc3339(row.closed_at),
        "hits": row.hits + pending_hits,
        "grade": _grade(row),
        "suggested_at": None if row.pinned_at is None else rfc3339(row.pinned_at),
    }


def reply_additions(row: ReplyListRow) -> dict[str, Any]:
    """Return the additional fields of a reply in a list."""
    return {"body": "" if row.deleted_at is not None else row.body, "action": None}


def user_additions(shown: dict[str, Any]) -> dict[str, Any]:
    """Return the additional fields of a user: two fields under their older names."""
    return {"github": shown["codehost"], "twitter": shown["microblog"]}
