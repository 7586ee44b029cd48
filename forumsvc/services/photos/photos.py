"""Storing uploaded photos: a row for every owner, the bytes once.

The bytes are stored before the request's transaction begins, so that no locks are held meanwhile,
and once more inside it, which is cheap if they still exist. Removing unused bytes takes the same
lock on their name and checks for rows first. So a row without its bytes cannot exist, whatever
uploads and deletions run concurrently.
"""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...db.engine import Database
from ...db.execution import ReadConnection, SqlConnection
from ...db.failures import DATABASE_ERRORS
from ...db.statements import delete_row, insert_or_ignore, lock_number, update_of
from ...errors import Invalid, NotFound, Unavailable
from ...markup import RenderBudget
from ...media.images import ProcessedImage, Uploader, normalize, thumbnail
from ...media.limits import Limits
from ...media.storage import is_name, parse_digest
from ...models import AdminAction, EventType, Photo, User
from ...queries import photos
from ...queries.rows import PhotoRow
from ...queries.user_locks import lock_users
from ...text.messages import Clause, Message
from .. import events
from ..moderation import actions
from ..moderation.actions import Action
from ..posts.writers import check_not_deleted
from .storage import PhotoStorages


@dataclass(frozen=True, slots=True)
class Quota:
    """The quota of one user. max_bytes: of all their photos; None for no limit."""

    user_id: int
    max_bytes: int | None

    def remaining_bytes(self, db: ReadConnection) -> int | None:
        """Return how many more bytes fit; None for no limit. Negative after a lowered limit."""
        if self.max_bytes is None:
            return None
        return self.max_bytes - photos.used_bytes(db, self.user_id)

    def check(self, remaining_bytes: int | None, size: int, field: str = "file") -> None:
        """Raise Invalid for `field` if `size` bytes do not fit into the remaining ones."""
        if self.max_bytes is None or remaining_bytes is None or size <= remaining_bytes:
            return
        raise Invalid(
            field,
            Message(
                "does not fit into your quota: %(size)s bytes, and %(left)s of %(all)s are left; "
                "delete photos that you do not need any more",
                size=f"{size:,}",
                left=f"{max(remaining_bytes, 0):,}",
                all=f"{self.max_bytes:,}",
            ),
        )


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Decoding:
    """What decoding uploaded images may cost.

    limits: of one image. budget: how much processor time each user may use.
    """

    limits: Limits
    budget: RenderBudget = field(default_factory=RenderBudget)

    def uploader(self, user_id: int) -> Uploader:
        """Return the user as one who pays for an image."""
        return Uploader(user_id, self.budget.acquire)


@contextmanager
def store(
    storages: PhotoStorages,
    decoding: Decoding,
    reader: ReadConnection,
    quota: Quota,
    upload: BinaryIO,
) -> Iterator[ProcessedImage]:
    """Re-encode an upload and store its bytes; yield the image, to be recorded.

    If the request fails after this, the caller removes the bytes (`remove_unused`); if the process
    is killed, `photos check` finds them. An upload that is larger than the remaining quota is not
    decoded. Raises Invalid, RateLimited, Unavailable.
    """
    left = quota.remaining_bytes(reader)
    start = upload.tell()
    quota.check(left, upload.seek(0, io.SEEK_END) - start)
    upload.seek(start)
    paid_by = decoding.uploader(quota.user_id)
    with storage_failures(), normalize(upload, decoding.limits, paid_by) as image:
        quota.check(left, image.size)
        storages.current.put(image.name, image.file, image.media_type)
        yield image


def store_avatar(
    storages: PhotoStorages, decoding: Decoding, db: SqlConnection, user_id: int, address: str
) -> ProcessedImage:
    """Make and store the thumbnail of a photo that the user uploaded, to be recorded.

    address: the photo's `image_url`, or its name. Raises Invalid if the user uploaded no such photo
    or it is gone, RateLimited, Unavailable.
    """
    with storage_failures(), open_own(db, storages, user_id, address, "avatar") as file:
        return _store_thumbnail(storages, decoding, user_id, file)


def open_own(
    db: SqlConnection, storages: PhotoStorages, user_id: int, address: str, field: str
) -> BinaryIO:
    """Return a photo that the user uploaded, as a file that the caller closes.

    address: as for `store_avatar`. Raises Invalid for `field` if the user uploaded no such photo or
    it is gone, Unavailable.
    """
    name = "/".join(address.partition("?")[0].split("/")[-2:])
    owned = select(Photo.name).where(Photo.user_id == user_id, Photo.name == name)
    if not is_name(name) or db.execute(owned).first() is None:
        raise Invalid(field, "must be the image_url of an image that you uploaded")
    with storage_failures():
        try:
            return storages.open(db, name)
        except NotFound:
            raise Invalid(field, Clause("this image is gone; upload it again")) from None


def store_uploaded_avatar(
    storages: PhotoStorages, decoding: Decoding, user_id: int, upload: BinaryIO
) -> ProcessedImage:
    """Make and store the thumbnail of an upload, to be recorded.

    Raises Invalid, RateLimited, Unavailable.
    """
    with storage_failures():
        return _store_thumbnail(storages, decoding, user_id, upload)


def _store_thumbnail(
    storages: PhotoStorages, decoding: Decoding, user_id: int, file: BinaryIO
) -> ProcessedImage:
    with thumbnail(file, decoding.limits, decoding.uploader(user_id)) as small:
        storages.current.put(small.name, small.file, small.media_type)
        small.file.seek(0)
        # The result outlives the file, and is small.
        return replace(small, file=io.BytesIO(small.file.read()))


def record(
    db: Session,
    storages: PhotoStorages,
    quota: Quota,
    now: datetime,
    image: ProcessedImage,
    field: str = "file",
) -> str:
    """Insert the row of a stored photo for the quota's user; return its name.

    The user is locked, so concurrent uploads cannot exceed the quota together. field: the parameter
    that an error names. Raises Invalid, Unavailable, and Forbidden if
    the user was deleted meanwhile.
    """
    lock_name(db, image.name)
    with storage_failures():
        image.file.seek(0)
        storages.current.put(image.name, image.file, image.media_type)
    # Only now: who writes to this user would wait for the storage.
    lock_users(db, User.id == quota.user_id)
    check_not_deleted(db, quota.user_id)
    is_new = insert_or_ignore(
        db,
        Photo,
        user_id=quota.user_id,
        name=image.name,
        media_type=image.media_type,
        width=image.width,
        height=image.height,
        size=image.size,
        digest=image.digest,
        storage=storages.default,
        created_at=now,
    )
    if is_new:
        query = select(Photo.id).where(Photo.user_id == quota.user_id, Photo.name == image.name)
        data = {"id": db.execute(query).scalar_one()}
        events.record(db, EventType.PHOTO_CREATED, now, actor_id=quota.user_id, data=data)
        left = quota.remaining_bytes(db)
        quota.check(None if left is None else left + image.size, image.size, field)
    else:
        is_match = (Photo.user_id == quota.user_id, Photo.digest == image.digest)
        db.execute(update_of(Photo).where(*is_match).values(storage=storages.default))
    return image.name


def delete(db: Session, actor_id: int, now: datetime, photo: PhotoRow) -> None:
    """Delete a photo's row. The caller removes its bytes after the commit (`remove_unused`)."""
    delete_row(db, Photo, id=photo.id)
    if actor_id != photo.user_id:
        details = {"photo_id": photo.id}
        action = Action(AdminAction.PHOTO_DELETED, actor_id, now, photo.user_id, details=details)
        actions.record(db, action)


def remove_unused(database: Database, storages: PhotoStorages, name: str) -> bool:
    """Remove a photo's bytes from all storages unless a row uses them; return whether.

    To be called after a commit that deleted a row, or a rollback that inserted none. An error is
    logged and left to `photos check --fix`.
    """
    try:
        with database.session.begin() as db:
            lock_name(db, name)
            if photos.is_used(db, name):
                return False
            for storage in storages.all():
                storage.delete(name)
    except (OSError, *DATABASE_ERRORS):
        log.exception("the bytes of %s are not removed; photos check --fix removes them", name)
        return False
    return True


def lock_name(db: Session, name: str) -> None:
    """Serialize storing, moving and removing the bytes of that name, until the commit."""
    lock_number(db, int(parse_digest(name)[:15], 16))


@contextmanager
def storage_failures() -> Iterator[None]:
    """Raise Unavailable if the storage, or the disk for temporary files, fails."""
    try:
        yield
    except OSError as error:
        log.exception("the photo storage failed")
        raise Unavailable("Images cannot be stored or read now; try again later.") from error
