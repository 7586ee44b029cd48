"""What users say of themselves."""

from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import Invalid
from ..media.limits import Limits
from ..media.pictures import thumbnail
from ..media.storage import Storage
from ..models import Photo, User
from ..models.statements import change
from . import photos


def edit(db: Session, user_id: int, now: datetime, **columns: Any) -> None:
    """Set the given columns of a user's profile."""
    if columns:
        db.execute(change(User).where(User.id == user_id).values(updated_at=now, **columns))


def make_avatar(
    db: Session, storage: Storage, limits: Limits, user_id: int, now: datetime, address: str
) -> str:
    """Return the name of the small picture made from one that the user uploaded.

    address: what the upload was answered with, or the picture's name; empty: none, the letter
    again. Raises Invalid where the user uploaded no such picture.
    """
    if not address:
        return ""
    name = "/".join(address.split("/")[-2:])
    owned = select(Photo.name).where(Photo.user_id == user_id, Photo.name == name)
    if db.execute(owned).first() is None:
        raise Invalid("avatar", "must be the image_url of a picture that you uploaded")
    with storage.open(name) as file, thumbnail(file, limits) as small:
        return photos.keep(db, storage, user_id, now, small)
