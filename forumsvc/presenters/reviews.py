"""A review of what moderators have to look at."""

from typing import Any

from ..clock import rfc3339, rfc3339_or_none
from ..queries.reviews import ReviewListRow
from .site import Site
from .users import person


def review(site: Site, row: ReviewListRow) -> dict[str, Any]:
    """Return a review as the queue shows it."""
    obj_type, obj_id = object_of(row.object_key)
    return {
        "id": row.id,
        "kind": row.kind,
        "obj_type": obj_type,
        "obj_id": obj_id,
        "topic_id": row.topic_id,
        "title": row.title,
        "user": person(site, row, "author"),
        "reports_count": row.reports_count,
        "weight": row.weight,
        "hidden": row.hidden_by_service,
        "state": row.state,
        "decision": row.decision,
        "reason": row.reason,
        "resolved_by": person(site, row, "resolver"),
        "version": row.version,
        "opened_at": rfc3339(row.opened_at),
        "resolved_at": rfc3339_or_none(row.resolved_at),
    }


def object_of(key: str) -> tuple[str, int]:
    """Return the type and the id of what a review is about."""
    obj_type, _, obj_id = key.partition(":")
    return obj_type, int(obj_id)
