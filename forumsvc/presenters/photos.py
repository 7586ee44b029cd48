"""A photo: of its owner's list, and once it is uploaded."""

from typing import Any

from ..clock import rfc3339
from ..media.small_versions import SMALL_WIDTH
from ..queries.rows import PhotoRow
from .site import Site


def photo(site: Site, row: PhotoRow, image_url: str) -> dict[str, Any]:
    """Return a photo of a list. image_url: where it is served."""
    return {
        **uploaded_photo(site, row, image_url),
        "size": row.size,
        "created_at": rfc3339(row.created_at),
    }


def uploaded_photo(site: Site, row: PhotoRow, image_url: str) -> dict[str, Any]:
    """Return what is said of a photo that was uploaded. image_url: where it is served."""
    is_small = row.width <= SMALL_WIDTH
    return {
        "id": row.id,
        "image_url": image_url,
        "width": row.width,
        "height": row.height,
        "thumbnail_url": image_url if is_small else site.small_photo_url(row.name),
    }
