"""What the keyed shape adds to the serializers, for clients of the public forum engine."""

from typing import Any

from ..clock import rfc3339


def _grade(row: Any) -> str:
    if row.banned_at is not None:
        return "ban"
    return "normal" if row.excellent_at is None else "excellent"


def topic_additions(row: Any, *, pending_hits: int) -> dict[str, Any]:
    """Return what a topic carries everywhere in that shape."""
    return {
        "excellent": int(row.excellent_at is not None),
        "closed_at": None if row.closed_at is None else rfc3339(row.closed_at),
        "hits": row.hits + pending_hits,
        "grade": _grade(row),
        "suggested_at": None,
    }


def reply_additions(row: Any) -> dict[str, Any]:
    """Return what a reply in a list carries in that shape."""
    return {"body": "" if row.deleted_at is not None else row.body, "action": None}


def user_additions(shown: dict[str, Any]) -> dict[str, Any]:
    """Return what a user in full carries in that shape: two fields under their older names."""
    return {"github": shown["codehost"], "twitter": shown["microblog"]}
