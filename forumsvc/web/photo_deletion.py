"""Deleting photos, for the API and the pages."""

from typing import Any

from ..queries.rows import PhotoRow
from ..services.photos import photos
from .api.request import ForumRequest


def delete(request: ForumRequest, photo: PhotoRow) -> None:
    """Delete a photo, and its bytes after the commit unless another user has them."""
    photos.delete(request.db, request.actor_id, request.now, photo)
    remove_file(request, photo.name)


def remove_file(request: ForumRequest, name: str) -> None:
    """Remove the bytes of that name after the commit, unless something else has them."""
    registry = request.registry
    work = (registry.database, registry.photo_storages, name)
    request.tm.get().addAfterCommitHook(_remove_unused, args=work)


def _remove_unused(succeeded: bool, *work: Any) -> None:
    if succeeded:
        photos.remove_unused(*work)
