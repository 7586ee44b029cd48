"""The small versions of photos, made when somebody first asks for one."""

from contextlib import suppress

from ...db.execution import ReadConnection
from ...errors import Invalid, NotFound
from ...media.images import shrink
from ...media.limits import Limits
from ...media.storage import Storage
from .photos import storage_failures
from .storage import PhotoStorages


def load(storages: PhotoStorages, limits: Limits, db: ReadConnection, name: str) -> bytes | None:
    """Return the small version of a photo, JPEG or PNG, made and kept if there is none yet.

    None: the photo cannot be decoded within the limits of today. Raises NotFound, RateLimited,
    Unavailable.
    """
    with storage_failures():
        for storage in storages.search_order(db, name):
            with suppress(NotFound), storage.open_small(name) as file:
                return file.read()
            with suppress(NotFound):
                return _make(storage, limits, name)
    raise NotFound("There is no such image.")


def _make(storage: Storage, limits: Limits, name: str) -> bytes | None:
    with storage.open(name) as photo:
        try:
            small = shrink(photo, limits)
        except Invalid:
            return None
    with small:
        storage.put_small(name, small.file)
        small.file.seek(0)
        body = small.file.read()
    _delete_without_photo(storage, name)
    return body


def _delete_without_photo(storage: Storage, name: str) -> None:
    """Delete the small version again if the photo was deleted meanwhile. Raises NotFound then."""
    try:
        storage.open(name).close()
    except NotFound:
        storage.delete_small(name)
        raise
