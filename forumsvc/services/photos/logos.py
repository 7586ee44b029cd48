"""The picture of the logo: small, and stored as photos are, but without a row of `photos`."""

import io
from dataclasses import replace
from typing import BinaryIO

from sqlalchemy.orm import Session

from ...db.execution import SqlConnection
from ...errors import Invalid
from ...media.images import ProcessedImage, Uploader, shrink
from .photos import Decoding, lock_name, open_own, storage_failures
from .storage import PhotoStorages

FIELD = "logo"


def store(
    storages: PhotoStorages, decoding: Decoding, upload: BinaryIO, user_id: int | None
) -> ProcessedImage:
    """Make and store the logo of a picture, to be recorded.

    user_id: who pays for it, None at the command line. Raises Invalid, RateLimited, Unavailable.
    """
    paid_by: Uploader | None = None if user_id is None else decoding.uploader(user_id)
    try:
        with storage_failures(), shrink(upload, decoding.limits, paid_by) as small:
            storages.current.put(small.name, small.file, small.media_type)
            small.file.seek(0)
            # The result outlives the file, and is small.
            return replace(small, file=io.BytesIO(small.file.read()))
    except Invalid as error:
        raise Invalid(FIELD, error.reason) from None


def store_own(
    storages: PhotoStorages, decoding: Decoding, db: SqlConnection, user_id: int, address: str
) -> ProcessedImage:
    """Make and store the logo of a photo that the user uploaded, to be recorded.

    address: the photo's `image_url`, or its name. Raises Invalid if the user uploaded no such photo
    or it is gone, RateLimited, Unavailable.
    """
    with open_own(db, storages, user_id, address, FIELD) as file:
        return store(storages, decoding, file, user_id)


def record(db: Session, storages: PhotoStorages, image: ProcessedImage) -> str:
    """Keep a stored logo from being removed until the commit, and return its name.

    Raises Unavailable.
    """
    lock_name(db, image.name)
    with storage_failures():
        image.file.seek(0)
        storages.current.put(image.name, image.file, image.media_type)
    return image.name
