"""Keeping uploaded pictures: a row for every owner, the bytes once."""

from datetime import datetime

from sqlalchemy.orm import Session

from ..media.pictures import Picture
from ..media.storage import Storage
from ..models import Photo
from ..models.statements import insert_if_absent


def keep(db: Session, storage: Storage, actor_id: int, now: datetime, picture: Picture) -> str:
    """Store a picture for a user and return its name.

    The bytes are stored first: a request that fails after that leaves bytes that nobody refers to
    and that the next upload of the same picture takes up, and never a row without bytes.
    """
    storage.put(picture.name, picture.file, picture.media_type)
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
