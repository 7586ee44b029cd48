"""Drafts, as their writer sees them."""

from typing import Any

from ..clock import rfc3339
from ..queries.rows import DraftRow


def draft(row: DraftRow) -> dict[str, Any]:
    """Return a draft. node_id: null where none was chosen."""
    return {
        "key": row.key,
        "title": row.title,
        "body": row.body,
        "node_id": row.node_id,
        "created_at": rfc3339(row.created_at),
        "updated_at": rfc3339(row.updated_at),
    }
