"""Deletes the avatars of deleted users from the storages."""

from collections.abc import Sequence

from ..services.photos import photos
from ..services.photos.storage import open_storages
from .context import Context


def remove(context: Context, names: Sequence[str]) -> None:
    """Delete these files. Call it after the transaction that removed them from their users.

    Files that others use stay. Errors of a storage are logged; `photos check --fix` retries.
    """
    if not names:
        return
    storages = open_storages(context.settings, context.ini_dir)
    for name in names:
        photos.remove_unused(context.database, storages, name)
