"""Keeping uploaded pictures: a row for every owner, the bytes once.

The bytes are put before the request's transaction begins, which would hold locks meanwhile, and
once more inside it, which costs little where they are there still. Who removes bytes that nobody
uses any more holds the same lock on their name and looks for rows first. So there is never a row
without its bytes, however uploads and deletions meet.
"""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import BinaryIO

from sqlalchemy import BigInteger, cast, func, literal, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from ..db.engine import Database
from ..db.execution import ReadConnection, SqlConnection
from ..db.statements import delete_row, insert_or_ignore, update_of
from ..errors import Invalid, NotFound, Unavailable
from ..media.images import ProcessedImage, normalize, thumbnail
from ..media.limits import Limits
from ..media.storage import is_name, parse_digest
from ..models import Photo, User
from ..queries import photos
from ..queries.user_locks import lock_users
from .photo_quota import Quota
from .photo_storage import PhotoStorages

log = logging.getLogger(__name__)


@contextmanager
def store(
    storages: PhotoStorages, limits: Limits, reader: ReadConnection, quota: Quota, upload: BinaryIO
) -> Iterator[ProcessedImage]:
    """Make an upload harmless, store its bytes and give what is known of them, to be recorded.

    Of a request that fails after this the caller removes the bytes (`remove_unused`); those of one
    that is killed are found by `photos check`. An upload that does not fit into the quota
    as it came is not decoded. Raises Invalid, RateLimited, Unavailable.
    """
    left = quota.left_bytes(reader)
    start = upload.tell()
    quota.check(left, upload.seek(0, io.SEEK_END) - start)
    upload.seek(start)
    with available(), normalize(upload, limits) as picture:
        quota.check(left, picture.size)
        storages.current.put(picture.name, picture.file, picture.media_type)
        yield picture


def store_avatar(
    db: SqlConnection, storages: PhotoStorages, limits: Limits, user_id: int, address: str
) -> ProcessedImage:
    """Make and store the small picture of one that the user uploaded, to be recorded.

    address: what the upload was answered with, or the picture's name. Raises Invalid where the
    user uploaded no such picture or where it is gone, RateLimited, Unavailable.
    """
    name = "/".join(address.partition("?")[0].split("/")[-2:])
    owned = select(Photo.name).where(Photo.user_id == user_id, Photo.name == name)
    if not is_name(name) or db.execute(owned).first() is None:
        raise Invalid("avatar", "must be the image_url of a picture that you uploaded")
    with available():
        try:
            file = storages.open(db, name)
        except NotFound:
            raise Invalid("avatar", "this picture is gone; upload it again") from None
        with file, thumbnail(file, limits) as small:
            storages.current.put(small.name, small.file, small.media_type)
            small.file.seek(0)
            # It outlives its file, and is small.
            return replace(small, file=io.BytesIO(small.file.read()))


def record(
    db: Session,
    storages: PhotoStorages,
    quota: Quota,
    now: datetime,
    picture: ProcessedImage,
    field: str = "file",
) -> str:
    """Write down that the quota's user has a stored picture; return its name.

    Two uploads at once cannot exceed the quota together: the user is locked. field: the parameter
    that an error names. Raises Invalid, Unavailable.
    """
    lock_users(db, User.id == quota.user_id)
    lock_name(db, picture.name)
    is_new = insert_or_ignore(
        db,
        Photo,
        user_id=quota.user_id,
        name=picture.name,
        media_type=picture.media_type,
        width=picture.width,
        height=picture.height,
        size=picture.size,
        digest=picture.digest,
        storage=storages.default,
        created_at=now,
    )
    if is_new:
        left = quota.left_bytes(db)
        quota.check(None if left is None else left + picture.size, picture.size, field)
    else:
        here = (Photo.user_id == quota.user_id, Photo.digest == picture.digest)
        db.execute(update_of(Photo).where(*here).values(storage=storages.default))
    with available():
        picture.file.seek(0)
        storages.current.put(picture.name, picture.file, picture.media_type)
    return picture.name


def delete(db: Session, photo_id: int) -> None:
    """Delete a photo's row; its bytes are left to `remove_unused`, once that is committed."""
    delete_row(db, Photo, id=photo_id)


def remove_unused(database: Database, storages: PhotoStorages, name: str) -> bool:
    """Remove a photo's bytes from all storages unless somebody uses them; return whether.

    For after a commit that took a user away from them, or an abort that gave them none: what fails
    is logged, and left to `photos check --fix`.
    """
    try:
        with database.session.begin() as db:
            lock_name(db, name)
            if photos.is_used(db, name):
                return False
            for storage in storages.all():
                storage.delete(name)
    except (OSError, SQLAlchemyError):
        log.exception("the bytes of %s stay; photos check --fix removes them", name)
        return False
    return True


def lock_name(db: Session, name: str) -> None:
    """Wait for whoever stores, moves or removes the bytes of that name, until the commit.

    SQLite needs no lock for it: its one write lock is held from the first statement on.
    """
    if db.get_bind().dialect.name == "postgresql":
        key = int(parse_digest(name)[:15], 16)
        db.execute(select(func.pg_advisory_xact_lock(cast(literal(key), BigInteger))))


@contextmanager
def available() -> Iterator[None]:
    """Raise Unavailable where the storage, or the disk for temporary files, fails."""
    try:
        yield
    except OSError as error:
        log.exception("the photo storage failed")
        raise Unavailable("Pictures cannot be stored or read now; try again later.") from error
