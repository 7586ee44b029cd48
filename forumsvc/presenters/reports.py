"""A report of a member."""

from typing import Any

from ..clock import rfc3339, rfc3339_or_none
from ..queries.reports import ReportRow
from .reviews import object_of
from .site import Site
from .users import person


def report(row: ReportRow) -> dict[str, Any]:
    """Return a report as its reporter sees it."""
    obj_type, obj_id = object_of(row.object_key)
    return {
        "id": row.id,
        "obj_type": obj_type,
        "obj_id": obj_id,
        "category": row.category,
        "comment": row.comment,
        "state": row.state,
        "created_at": rfc3339(row.created_at),
        "resolved_at": rfc3339_or_none(row.resolved_at),
    }


def report_with_reporter(site: Site, row: Any) -> dict[str, Any]:
    """Return a report as moderators see it."""
    return {**report(row), "text": row.text, "reporter": person(site, row, "reporter")}
