"""Reading the tar of a backup. No path in it is used: only members of known names are taken."""

import hashlib
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ..files import open_private
from ..media.storage import is_name, parse_digest
from .errors import BackupError
from .folder import forget_members
from .manifest import DUMP, MAX_SIZE, NAME, PHOTOS, Manifest, Member, parse_manifest
from .photo_names import photo_names

_BLOCK = 2**20


class Archive:
    """A backup to read, a stream of its members: it keeps none of them in memory."""

    def __init__(self, path: Path) -> None:
        """Read the manifest. Raises BackupError where there is none, or it is damaged or newer."""
        self._path = path
        self.manifest = self._read_manifest()

    def _read_manifest(self) -> Manifest:
        last, text = "", b""
        with _tar_errors(self._path):
            for info, file in self._members():
                last = info.name
                if last == NAME and info.size <= MAX_SIZE:
                    text = file.read()
            is_cut = self._path.stat().st_size % tarfile.RECORDSIZE
        if last != NAME or not text or is_cut:
            raise BackupError(f"{self._path} is no whole backup: its end is missing.")
        return parse_manifest(text)

    def unpack(self, dump: Path) -> None:
        """Write the dump into a new folder, and check each byte against manifest and rows.

        Raises BackupError.
        """
        dump.mkdir(mode=0o700)
        waiting = dict(self.manifest.members)
        photos: set[str] | None = None
        files = size = 0
        with _tar_errors(self._path):
            for info, file in self._members():
                if info.name.startswith(PHOTOS):
                    if photos is None:
                        photos = self._photos_of_rows(dump, waiting)
                    self._check_photo(info, file, photos)
                    files, size = files + 1, size + info.size
                elif info.name != NAME:
                    self._unpack_member(info, file, dump, waiting)
        without = self._photos_of_rows(dump, waiting) if photos is None else photos
        said = self.manifest.photos
        if said and (files, size, without) != (said.files, said.size, set(said.missing)):
            raise BackupError("The photo files in the backup are not those that the rows name.")
        if said is None and files:
            raise BackupError("The backup has photo files, and its manifest says that it has none.")

    def _photos_of_rows(self, dump: Path, waiting: Mapping[str, Member]) -> set[str]:
        if waiting:
            raise BackupError(f"The backup has no {min(waiting)}.")
        return photo_names(dump)

    def _check_photo(self, info: tarfile.TarInfo, file: IO[bytes], photos: set[str]) -> None:
        name = _photo_name(info)
        if name not in photos:
            raise BackupError(f"{info.name} in the backup is twice, or no row names it.")
        photos.remove(name)
        if _copy(file, None) != Member(info.size, parse_digest(name)):
            raise BackupError(f"{info.name} is damaged: its SHA-256 is not that of its name.")

    def _unpack_member(
        self, info: tarfile.TarInfo, file: IO[bytes], dump: Path, waiting: dict[str, Member]
    ) -> None:
        member = waiting.pop(info.name, None)
        if member is None:
            raise BackupError(f"The backup has an unknown member {info.name[:80]!r}.")
        with open(dump / info.name.removeprefix(DUMP), "xb", opener=open_private) as copy:
            if _copy(file, copy) != member:
                raise BackupError(f"{info.name} is damaged: it is not what the manifest says.")

    def photos(self) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the bytes of each photo file. Raises BackupError."""
        with _tar_errors(self._path):
            for info, file in self._members():
                if info.name.startswith(PHOTOS):
                    yield _photo_name(info), file.read()

    def _members(self) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
        with tarfile.open(self._path, "r:") as tar:
            while (info := tar.next()) is not None:
                file = tar.extractfile(info) if info.isreg() and not info.issparse() else None
                if file is None:
                    raise BackupError(f"{info.name[:80]!r} in the backup is no ordinary file.")
                yield info, file
                forget_members(tar)


@contextmanager
def _tar_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise BackupError(f"There is no {path}.") from None
    except tarfile.TarError as error:
        raise BackupError(f"{path} is no whole tar: {error}") from None
    except OSError as error:
        raise BackupError(f"{path} cannot be unpacked: {error.strerror or error}") from None


def _photo_name(info: tarfile.TarInfo) -> str:
    name = info.name.removeprefix(PHOTOS)
    if not is_name(name):
        raise BackupError(f"The backup has an unknown member {info.name[:80]!r}.")
    return name


def _copy(file: IO[bytes], copy: IO[bytes] | None) -> Member:
    """Read a file to its end; return what it is. copy: gets the bytes, too."""
    digest, size = hashlib.sha256(), 0
    while block := file.read(_BLOCK):
        digest.update(block)
        size += len(block)
        if copy is not None:
            copy.write(block)
    return Member(size, digest.hexdigest())
