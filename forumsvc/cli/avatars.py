"""Removing the avatars of deleted users from the storages."""

from collections.abc import Sequence

from ..services import photos
from ..services.photo_storage import open_storages
from .context import Context


def remove(context: Context, names: Sequence[str]) -> None:
    """Remove these files, after what took them from their users is committed.

    Files that others use stay. What a storage fails at is logged and left to `photos check --fix`.
    """
    if not names:
        return
    storages = open_storages(context.settings, context.here)
    for name in names:
        photos.remove_unused(context.database, storages, name)
