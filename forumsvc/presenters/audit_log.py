"""A record of the log."""

import json
from typing import Any

from ..clock import rfc3339
from ..queries.audit_log import LogRow
from .site import Site
from .users import person


def log_record(site: Site, row: LogRow) -> dict[str, Any]:
    """Return a record of the log; null stands for what the caller may not see."""
    return {
        "id": row.id,
        "action": row.action,
        "actor": person(site, row, "actor"),
        "via": row.via,
        "user": person(site, row, "user"),
        "topic_id": row.topic_id,
        "reply_id": row.reply_id,
        "node_id": row.node_id,
        "reason": row.reason,
        "details": None if row.details is None else json.loads(row.details),
        "request_id": row.request_id,
        "created_at": rfc3339(row.created_at),
    }
