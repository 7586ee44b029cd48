"""Former texts of topics and replies."""

from typing import Any

from ..clock import rfc3339
from ..queries.post_versions import PostVersionRow
from .site import Site
from .users import person


def post_version(site: Site, row: PostVersionRow) -> dict[str, Any]:
    """Return a former text. title: null of a reply."""
    return {
        "number": row.number,
        "editor": person(site, row, "editor"),
        "title": row.title,
        "body": row.body,
        "body_html": row.body_html,
        "hidden": row.hidden_at is not None,
        "created_at": rfc3339(row.created_at),
    }
