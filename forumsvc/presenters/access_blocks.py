"""A block of a network, an email address or a domain."""

from typing import Any

from ..clock import rfc3339, rfc3339_or_none
from ..queries.access_blocks import AccessBlockRow
from .site import Site
from .users import person


def access_block(site: Site, row: AccessBlockRow) -> dict[str, Any]:
    """Return a block. active: whether it has not ended."""
    return {
        "id": row.id,
        "kind": row.kind,
        "value": row.value,
        "severity": row.severity,
        "reason": row.reason,
        "by": person(site, row, "by"),
        "active": row.expires_at is None or row.expires_at > site.now,
        "created_at": rfc3339(row.created_at),
        "expires_at": rfc3339_or_none(row.expires_at),
    }
