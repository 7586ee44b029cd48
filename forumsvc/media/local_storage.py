"""Storage of images in a folder on this machine."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from forumsvc.errors import NotFound
from forumsvc.media.private_names import PRIVATE, is_private_name, private_path
from forumsvc.media.small_versions import SMALL, small_path
from forumsvc.media.storage import StoredObject, check_digest, check_name, is_name, parse_digest
from forumsvc.process.files import sync_folder

_PARTIAL_PREFIX = ".unfinished-"
_CHUNK = 64 << 10


def _images_in(folder: Path) -> Iterator[StoredObject]:
    for path in folder.glob("[0-9a-f][0-9a-f]/*"):
        name = f"{path.parent.name}/{path.name}"
        if is_name(name):
            with suppress(FileNotFoundError):
                yield _stored(name, path)


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
        # Last, so that whoever makes it meanwhile finds no photo and deletes it, too.
        self.delete_small(name)

    def delete_small(self, name: str) -> None:
        """Delete the small version of an image; see Storage."""
        with suppress(FileNotFoundError):
            (self._folder / small_path(name)).unlink()

    def put_small(self, name: str, file: BinaryIO) -> None:
        """Store the small version of an image; see Storage."""
        parse_digest(name)
        target = self._folder / small_path(name)
        self._make_dir(target.parent)
        with self._written(target) as copy:
            shutil.copyfileobj(file, copy, _CHUNK)
            os.fchmod(copy.fileno(), 0o644)

    def open_small(self, name: str) -> BinaryIO:
        """Return the small version of an image; see Storage."""
        check_name(name)
        try:
            return open(self._folder / small_path(name), "rb")
        except FileNotFoundError:
            raise NotFound("There is no such image.") from None

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
        self.delete_small(name)
        return True

    def list_objects(self) -> Iterator[StoredObject]:
        """Yield every image; see Storage. Files with other names are ignored."""
        yield from _images_in(self._folder)

    def list_small(self) -> Iterator[StoredObject]:
        """Yield every small version; see Storage."""
        yield from _images_in(self._folder / SMALL)

    def remove_partial_uploads(self, before: datetime) -> int:
        """Remove temporary files older than that; see Storage."""
        removed = 0
        for folder in ("[0-9a-f][0-9a-f]", f"{SMALL}/[0-9a-f][0-9a-f]", PRIVATE):
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
