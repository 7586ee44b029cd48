"""Where pictures are kept: the interface, and a folder on this machine."""

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from forumsvc.errors import NotFound

_NAME = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{62})\.(png|jpg|gif|webp)", re.ASCII)
_TYPES = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
_UNFINISHED = ".unfinished-"
_PIECE = 64 << 10


@dataclass(frozen=True)
class Stored:
    """A picture that is there. size: bytes; modified: when it was put, UTC."""

    name: str
    size: int
    modified: datetime


class Storage(Protocol):
    """Keeps pictures under their content-addressed names (`Picture.name`).

    A put, once it returns, is durable; one that fails leaves nothing; one of a name that is there
    changes nothing but `Stored.modified`, so that `discard` spares what is being uploaded again.
    What a storage itself fails at is an OSError.
    """

    def put(self, name: str, file: BinaryIO, media_type: str) -> bool:
        """Keep the bytes of `file`, from where it stands; False where they were there already.

        Raises ValueError for a name that is not the bytes' own, OSError where they are not kept.
        """

    def open(self, name: str) -> BinaryIO:
        """Return the picture's bytes as a file that the caller closes.

        Raises NotFound for a name that is not there or can be none.
        """

    def url(self, name: str) -> str | None:
        """Return the address where clients fetch the picture, or None where we serve it.

        Asks nothing of the storage. Raises NotFound for a name that can be none.
        """

    def lasting_url(self, name: str) -> str | None:
        """Return the address if it holds for ever, so that it may stand in a text, or None.

        Raises NotFound for a name that can be none.
        """

    def delete(self, name: str) -> None:
        """Remove a picture; nothing happens where it is not there. Raises ValueError, OSError."""

    def discard(self, name: str, before: datetime) -> bool:
        """Remove a picture unless it was put after `before`; return whether it was removed.

        Raises ValueError, OSError.
        """

    def names(self) -> Iterator[Stored]:
        """Yield every picture that is there, in no order that means anything."""

    def tidy(self, before: datetime) -> int:
        """Remove what puts that began before then and were killed left behind; return how many."""


def is_name(text: str) -> bool:
    """Return whether a text can be the content-addressed name of a picture."""
    return _NAME.fullmatch(text) is not None


def digest_of(name: str) -> str:
    """Return the SHA-256 in a content-addressed name.

    Raises ValueError for any other text: no name that passes can leave a folder or a bucket.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"not the name of a picture: {name!r}")
    return match[2]


def media_type_of(name: str) -> str:
    """Return the media type of the picture of that name. Raises ValueError for another text."""
    digest_of(name)
    return _TYPES[name.rpartition(".")[2]]


def check_name(text: str) -> None:
    """Raise NotFound for what can be no picture's name."""
    if _NAME.fullmatch(text) is None:
        raise NotFound("There is no such picture.")


def check_digest(name: str, file: BinaryIO, copy: BinaryIO | None = None) -> int:
    """Read `file` from where it stands to its end, into `copy` if there is one; return its size.

    Raises ValueError where its SHA-256 is not the one in the name.
    """
    wanted, seen, size = digest_of(name), hashlib.sha256(), 0
    while piece := file.read(_PIECE):
        seen.update(piece)
        size += len(piece)
        if copy is not None:
            copy.write(piece)
    if seen.hexdigest() != wanted:
        raise ValueError(f"{name!r} is not the name of these bytes")
    return size


class LocalStorage:
    """Keeps pictures in a folder: written beside their place, flushed to the disk, renamed."""

    def __init__(self, folder: str | Path) -> None:
        """folder: where; it is made with the first picture."""
        self._folder = Path(folder)

    def put(self, name: str, file: BinaryIO, media_type: str) -> bool:
        """Keep a picture; see Storage. A copy of another length than the file's is replaced."""
        digest_of(name)
        target = self._folder / name
        start = file.tell()
        size = file.seek(0, os.SEEK_END) - start
        file.seek(start)
        with suppress(FileNotFoundError):
            if target.stat().st_size == size:
                os.utime(target)
                return False
        self._make(target.parent)
        descriptor, unfinished = tempfile.mkstemp(prefix=_UNFINISHED, dir=target.parent)
        try:
            with os.fdopen(descriptor, "wb") as copy:
                check_digest(name, file, copy)
                # Readable for a web server of another user that serves the folder.
                os.fchmod(copy.fileno(), 0o644)
                copy.flush()
                os.fsync(copy.fileno())
            os.replace(unfinished, target)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(unfinished)
            raise
        _sync(target.parent)
        return True

    def open(self, name: str) -> BinaryIO:
        """Return a picture's file; see Storage."""
        check_name(name)
        try:
            return open(self._folder / name, "rb")
        except FileNotFoundError:
            raise NotFound("There is no such picture.") from None

    def url(self, name: str) -> str | None:
        """Return None: the service serves what is in the folder; see Storage."""
        check_name(name)
        return None

    def lasting_url(self, name: str) -> str | None:
        """Return None, as `url` does; see Storage."""
        return self.url(name)

    def delete(self, name: str) -> None:
        """Remove a picture; see Storage."""
        digest_of(name)
        path = self._folder / name
        with suppress(FileNotFoundError):
            path.unlink()
            _sync(path.parent)

    def discard(self, name: str, before: datetime) -> bool:
        """Remove a picture if it is old; see Storage."""
        digest_of(name)
        path = self._folder / name
        # Out of the way first: what is put from now on is a file of its own.
        aside = path.with_name(f"{_UNFINISHED}{path.name}")
        try:
            os.rename(path, aside)
        except FileNotFoundError:
            return False
        if aside.stat().st_mtime >= before.timestamp():
            os.rename(aside, path)
            return False
        aside.unlink()
        _sync(path.parent)
        return True

    def names(self) -> Iterator[Stored]:
        """Yield every picture; see Storage. Files of other names are no pictures."""
        for path in self._folder.glob("[0-9a-f][0-9a-f]/*"):
            name = f"{path.parent.name}/{path.name}"
            if _NAME.fullmatch(name):
                with suppress(FileNotFoundError):
                    found = path.stat()
                    yield Stored(name, found.st_size, datetime.fromtimestamp(found.st_mtime, UTC))

    def tidy(self, before: datetime) -> int:
        """Remove unfinished files older than that; see Storage."""
        removed = 0
        for path in self._folder.glob(f"[0-9a-f][0-9a-f]/{_UNFINISHED}*"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < before.timestamp():
                    path.unlink()
                    removed += 1
        return removed

    def _make(self, folder: Path) -> None:
        """Make a folder durably, with those above it."""
        if not folder.is_dir():
            self._make(folder.parent)
            folder.mkdir(exist_ok=True)
            _sync(folder.parent)


def _sync(folder: Path) -> None:
    """Flush a folder's entries to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
