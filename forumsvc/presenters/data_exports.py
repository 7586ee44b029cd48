"""An export of a person's own data."""

from typing import Any

from ..clock import rfc3339
from ..queries.data_exports import ExportRow, ExportState
from .site import Site


def data_export(site: Site, row: ExportRow) -> dict[str, Any]:
    """Return the state of an export; url: of the file, null until it is ready."""
    is_ready = row.state == ExportState.READY
    return {
        "state": row.state,
        "url": f"{site.base_url}/api/v3/users/me/export.zip" if is_ready else None,
        "expires_at": rfc3339(row.expires_at) if is_ready else None,
    }
