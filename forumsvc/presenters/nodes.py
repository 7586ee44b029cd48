"""Nodes and sections."""

from typing import Any

from ..clock import rfc3339
from ..queries.rows import NodeRow, SectionRow


def section(row: SectionRow) -> dict[str, Any]:
    return {"id": row.id, "name": row.name, "sort": row.sort}


def node_detail(row: NodeRow) -> dict[str, Any]:
    return {**node(row), "hidden_in_lists": row.hidden_in_lists}


def node(row: NodeRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "summary": row.summary,
        "section_id": row.section_id,
        "section_name": row.section_name,
        "topics_count": row.topics_count,
        "sort": row.sort,
        "updated_at": rfc3339(row.updated_at),
    }
