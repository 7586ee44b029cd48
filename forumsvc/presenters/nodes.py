"""NodeSerializer."""

from typing import Any

from ..clock import rfc3339
from ..queries.rows import NodeRow


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
