"""A silence or a warning."""

from typing import Any

from ..clock import rfc3339, rfc3339_or_none
from ..models import RestrictionKind
from ..queries.restrictions import RestrictionRow
from .site import Site
from .users import person


def restriction(site: Site, row: RestrictionRow) -> dict[str, Any]:
    """Return a silence or a warning. active: whether a silence holds now."""
    is_silence = row.kind == RestrictionKind.SILENCE
    has_ended = row.lifted_at is not None or (row.until is not None and row.until <= site.now)
    return {
        "id": row.id,
        "kind": row.kind,
        "reason": row.reason,
        "note": row.note,
        "by": person(site, row, "by"),
        "topic_id": row.topic_id,
        "reply_id": row.reply_id,
        "active": is_silence and not has_ended,
        "started_at": rfc3339(row.started_at),
        "until": rfc3339_or_none(row.until),
        "lifted_at": rfc3339_or_none(row.lifted_at),
    }
