"""Uploaded pictures: stored before the transaction has a row of them, removed if it gets none."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Concatenate, ParamSpec

from ..media.images import ProcessedImage
from ..services.photos import photos
from ..services.photos.photos import Decoding
from ..services.photos.storage import PhotoStorages
from .api.request import ForumRequest

P = ParamSpec("P")
Store = Callable[Concatenate[PhotoStorages, Decoding, P], ProcessedImage]


@contextmanager
def stored_photo(request: ForumRequest, upload: BinaryIO) -> Iterator[ProcessedImage]:
    """Store a photo, to be recorded. Raises Invalid, RateLimited, Unavailable."""
    registry = request.registry
    stored = photos.store(
        registry.photo_storages,
        registry.photo_decoding,
        request.executor,
        request.photo_quota,
        upload,
    )
    with stored as image:
        request.remove_photo_on_abort(image.name)
        yield image


def stored(
    request: ForumRequest, store: Store[P], *args: P.args, **options: P.kwargs
) -> ProcessedImage:
    """Return a picture that a service makes and stores, to be recorded.

    store: the service; args, options: what it takes besides storages and decoding. Raises what it
    raises.
    """
    registry = request.registry
    image = store(registry.photo_storages, registry.photo_decoding, *args, **options)
    request.remove_photo_on_abort(image.name)
    return image


def record(request: ForumRequest, image: ProcessedImage, field: str = "file") -> str:
    """Insert the row of a stored picture, and return its name. field: the parameter, for errors.

    Raises Invalid, Unavailable.
    """
    storages = request.registry.photo_storages
    return photos.record(request.db, storages, request.photo_quota, request.now, image, field=field)
