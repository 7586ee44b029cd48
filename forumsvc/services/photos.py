"""Keeping uploaded pictures: a row for every owner, the bytes once."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import Invalid, NotFound, Unavailable
from ..media.limits import Limits
from ..media.pictures import Picture, normalise, thumbnail
from ..media.storage import Storage, is_name
from ..models import Photo
from ..models.statements import insert_if_absent
from ..queries.reading import Connected

log = logging.getLogger(__name__)


def store(storage: Storage, limits: Limits, upload: BinaryIO) -> Picture:
    """Make an upload harmless, store its bytes and return what is known of them; its file is gone.

    Bytes come before their row (`record`): a request that fails after this leaves bytes that
    nobody refers to, that the next upload of the same picture takes up and that `photos check`
    finds; and never a row without bytes. Raises Invalid, TooManyAttempts, Unavailable.
    """
    with available(), normalise(upload, limits) as picture:
        storage.put(picture.name, picture.file, picture.media_type)
        return picture


def store_avatar(
    db: Connected, storage: Storage, limits: Limits, user_id: int, address: str
) -> Picture:
    """Make and store the small picture of one that the user uploaded.

    address: what the upload was answered with, or the picture's name. Raises Invalid where the
    user uploaded no such picture or where it is gone, TooManyAttempts, Unavailable.
    """
    name = "/".join(address.partition("?")[0].split("/")[-2:])
    owned = select(Photo.name).where(Photo.user_id == user_id, Photo.name == name)
    if not is_name(name) or db.execute(owned).first() is None:
        raise Invalid("avatar", "must be the image_url of a picture that you uploaded")
    with available():
        try:
            file = storage.open(name)
        except NotFound:
            raise Invalid("avatar", "this picture is gone; upload it again") from None
        with file, thumbnail(file, limits) as small:
            storage.put(small.name, small.file, small.media_type)
            return small


def record(db: Session, actor_id: int, now: datetime, picture: Picture) -> str:
    """Write down that a user has a stored picture; return its name."""
    insert_if_absent(
        db,
        Photo,
        user_id=actor_id,
        name=picture.name,
        media_type=picture.media_type,
        width=picture.width,
        height=picture.height,
        size=picture.size,
        digest=picture.digest,
        created_at=now,
    )
    return picture.name


@contextmanager
def available() -> Iterator[None]:
    """Raise Unavailable where the storage, or the disk for temporary files, fails."""
    try:
        yield
    except OSError as error:
        log.exception("the photo storage failed")
        raise Unavailable("Pictures cannot be stored or read now; try again later.") from error
