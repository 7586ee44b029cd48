"""Storage of images: the interface, and the names of images."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Protocol

from forumsvc.errors import NotFound

_NAME = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{62})\.(png|jpg|gif|webp)", re.ASCII)
MEDIA_TYPES = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
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

    def put_small(self, name: str, file: BinaryIO) -> None:
        """Store the small version of an image, from the current position of `file`.

        Deleting the image deletes it, too. Raises ValueError, OSError.
        """

    def delete_small(self, name: str) -> None:
        """Delete the small version of an image, if it exists. Raises OSError."""

    def open_small(self, name: str) -> BinaryIO:
        """Return the small version of an image as a file that the caller closes.

        Raises NotFound, OSError.
        """

    def delete(self, name: str) -> None:
        """Delete an image if it exists. Raises ValueError, OSError."""

    def delete_if_older_than(self, name: str, before: datetime) -> bool:
        """Delete an image unless it was put after `before`; return whether it was deleted.

        Raises ValueError, OSError.
        """

    def list_objects(self) -> Iterator[StoredObject]:
        """Yield every stored image, in no particular order."""

    def list_small(self) -> Iterator[StoredObject]:
        """Yield every small version, by the name of its image, in no particular order."""

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
    return MEDIA_TYPES[name.rpartition(".")[2]]


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
