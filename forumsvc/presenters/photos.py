"""A photo in the list of its owner."""

from typing import Any

from ..clock import rfc3339
from ..queries.rows import PhotoRow


def photo(row: PhotoRow, image_url: str) -> dict[str, Any]:
    """Return a photo. image_url: where it is served."""
    return {
        "id": row.id,
        "image_url": image_url,
        "size": row.size,
        "created_at": rfc3339(row.created_at),
    }
