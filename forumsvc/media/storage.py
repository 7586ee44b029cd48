"""Storage of images: the interface, and a folder on this machine."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from forumsvc.errors import NotFound
from forumsvc.media.private_names import PRIVATE, is_private_name, private_path
from forumsvc.process.files import sync_folder

_NAME = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{62})\.(png|jpg|gif|webp)", re.ASCII)
_TYPES = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
_PARTIAL_PREFIX = ".unfinished-"
_CHUNK = 64 << 10


@dataclass(frozen=True)
class StoredObject:
    """A stored image. size: bytes; modified: when it was put, UTC."""

    name: str
    size: int
    modified: datetime


class Storage(Protocol):
    """Stores images under their content-addressed names (`ProcessedImage.name`).

    A put is durable once it returns; one that fails leaves nothing behind. Putting a name that
    exists changes nothing but `StoredObject.modified`, so that `delete_if_older_than` spares an
    image that is being uploaded again. Failures of the storage itself are OSErrors.
    """

    def put(self, name: str, file: BinaryIO, media_type: str) -> bool:
        """Store the bytes of `file` from its current position; return False if they exist already.

        Raises ValueError if the name does not match the bytes, OSError if they are not stored.
        """

    def open(self, name: str) -> BinaryIO:
        """Return the image's bytes as a file that the caller closes.

        Raises NotFound for an unknown or invalid name.
        """

    def url(self, name: str) -> str | None:
        """Return the URL where clients get the image, or None if this service serves it.

        Sends no request to the storage. Raises NotFound for an invalid name.
        """

    def permanent_url(self, name: str) -> str | None:
        """Return the URL if it never expires, so that it may be used in a text, else None.

        Raises NotFound for an invalid name.
        """

    def delete(self, name: str) -> None:
        """Delete an image if it exists. Raises ValueError, OSError."""

    def delete_if_older_than(self, name: str, before: datetime) -> bool:
        """Delete an image unless it was put after `before`; return whether it was deleted.

        Raises ValueError, OSError.
        """

    def list_objects(self) -> Iterator[StoredObject]:
        """Yield every stored image, in no particular order."""

    def remove_partial_uploads(self, before: datetime) -> int:
        """Remove the files of puts that began before then and were killed; return how many."""

    def put_private(self, name: str, file: BinaryIO) -> None:
        """Store a file that has no URL, from its current position. name: see `private_names`.

        Raises ValueError, OSError.
        """

    def open_private(self, name: str) -> BinaryIO:
        """Return a private file, which the caller closes and may seek in.

        Raises NotFound, OSError.
        """

    def delete_private(self, name: str) -> None:
        """Delete a private file if it exists. Raises ValueError, OSError."""

    def list_private(self) -> Iterator[StoredObject]:
        """Yield every private file, in no particular order."""


def is_name(text: str) -> bool:
    """Return whether a text is a valid content-addressed name of an image."""
    return _NAME.fullmatch(text) is not None


def parse_digest(name: str) -> str:
    """Return the SHA-256 in a content-addressed name.

    Raises ValueError for any other text: no valid name can leave a folder or a bucket.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"not the name of an image: {name!r}")
    return match[2]


def media_type_of(name: str) -> str:
    """Return the media type of the image of that name. Raises ValueError for an invalid name."""
    parse_digest(name)
    return _TYPES[name.rpartition(".")[2]]


def check_name(text: str) -> None:
    """Raise NotFound for an invalid name."""
    if _NAME.fullmatch(text) is None:
        raise NotFound("There is no such image.")


def check_digest(name: str, file: BinaryIO, copy: BinaryIO | None = None) -> int:
    """Read `file` from its current position to its end; return its size.

    copy: gets the bytes, too. Raises ValueError if the SHA-256 is not the one in the name.
    """
    expected, actual, size = parse_digest(name), hashlib.sha256(), 0
    while chunk := file.read(_CHUNK):
        actual.update(chunk)
        size += len(chunk)
        if copy is not None:
            copy.write(chunk)
    if actual.hexdigest() != expected:
        raise ValueError(f"{name!r} is not the name of these bytes")
    return size


def _stored(name: str, path: Path) -> StoredObject:
    status = path.stat()
    return StoredObject(name, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))


class LocalStorage:
    """Stores images in a folder: writes a temporary file, flushes it to the disk, renames it."""

    def __init__(self, folder: str | Path) -> None:
        """folder: created with the first image."""
        self._folder = Path(folder)

    def put(self, name: str, file: BinaryIO, media_type: str) -> bool:
        """Store an image; see Storage. An existing file of another length is replaced."""
        parse_digest(name)
        target = self._folder / name
        start = file.tell()
        size = file.seek(0, os.SEEK_END) - start
        file.seek(start)
        with suppress(FileNotFoundError):
            if target.stat().st_size == size:
                # Where another user stored it, as before a restore by the database's owner, its
                # time stays: only the owner may set it, and the image is there all the same.
                with suppress(PermissionError):
                    os.utime(target)
                return False
        self._make_dir(target.parent)
        with self._written(target) as copy:
            check_digest(name, file, copy)
            # Readable for a web server that serves the folder as another user.
            os.fchmod(copy.fileno(), 0o644)
        return True

    @contextmanager
    def _written(self, target: Path) -> Iterator[BinaryIO]:
        """Yield a file for its owner alone, which is the target once it is on the disk."""
        descriptor, partial = tempfile.mkstemp(prefix=_PARTIAL_PREFIX, dir=target.parent)
        try:
            with os.fdopen(descriptor, "wb") as copy:
                yield copy
                copy.flush()
                os.fsync(copy.fileno())
            os.replace(partial, target)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(partial)
            raise
        sync_folder(target.parent)

    def open(self, name: str) -> BinaryIO:
        """Return an image's file; see Storage."""
        check_name(name)
        try:
            return open(self._folder / name, "rb")
        except FileNotFoundError:
            raise NotFound("There is no such image.") from None

    def url(self, name: str) -> str | None:
        """Return None: this service serves the images of the folder; see Storage."""
        check_name(name)
        return None

    def permanent_url(self, name: str) -> str | None:
        """Return None, like `url`; see Storage."""
        return self.url(name)

    def delete(self, name: str) -> None:
        """Delete an image; see Storage."""
        parse_digest(name)
        path = self._folder / name
        with suppress(FileNotFoundError):
            path.unlink()
            sync_folder(path.parent)

    def delete_if_older_than(self, name: str, before: datetime) -> bool:
        """Delete an image if it is old; see Storage."""
        parse_digest(name)
        path = self._folder / name
        renamed = path.with_name(f"{_PARTIAL_PREFIX}{path.name}")
        try:
            if path.stat().st_mtime >= before.timestamp():
                return False
            # Renamed first: a put from now on creates a new file, which is not deleted.
            os.rename(path, renamed)
        except FileNotFoundError:
            return False
        if renamed.stat().st_mtime >= before.timestamp():
            os.rename(renamed, path)
            return False
        renamed.unlink()
        sync_folder(path.parent)
        return True

    def list_objects(self) -> Iterator[StoredObject]:
        """Yield every image; see Storage. Files with other names are ignored."""
        for path in self._folder.glob("[0-9a-f][0-9a-f]/*"):
            name = f"{path.parent.name}/{path.name}"
            if _NAME.fullmatch(name):
                with suppress(FileNotFoundError):
                    yield _stored(name, path)

    def remove_partial_uploads(self, before: datetime) -> int:
        """Remove temporary files older than that; see Storage."""
        removed = 0
        for folder in ("[0-9a-f][0-9a-f]", PRIVATE):
            for path in self._folder.glob(f"{folder}/{_PARTIAL_PREFIX}*"):
                with suppress(FileNotFoundError):
                    if path.stat().st_mtime < before.timestamp():
                        path.unlink()
                        removed += 1
        return removed

    def put_private(self, name: str, file: BinaryIO) -> None:
        """Store a private file; see Storage. Only the owner of the folder can read it."""
        target = self._folder / private_path(name)
        if not target.parent.is_dir():
            self._make_dir(target.parent)
            target.parent.chmod(0o700)
        with self._written(target) as copy:
            shutil.copyfileobj(file, copy, _CHUNK)

    def open_private(self, name: str) -> BinaryIO:
        """Return a private file; see Storage."""
        try:
            return open(self._folder / private_path(name), "rb")
        except FileNotFoundError:
            raise NotFound("There is nothing here.") from None

    def delete_private(self, name: str) -> None:
        """Delete a private file; see Storage."""
        path = self._folder / private_path(name)
        with suppress(FileNotFoundError):
            path.unlink()
            sync_folder(path.parent)

    def list_private(self) -> Iterator[StoredObject]:
        """Yield every private file; see Storage."""
        for path in self._folder.glob(f"{PRIVATE}/*"):
            if is_private_name(path.name):
                with suppress(FileNotFoundError):
                    yield _stored(path.name, path)

    def _make_dir(self, folder: Path) -> None:
        """Create a folder and its parents durably."""
        if not folder.is_dir():
            self._make_dir(folder.parent)
            folder.mkdir(exist_ok=True)
            sync_folder(folder.parent)
