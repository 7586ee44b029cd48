"""Reading a dump, which is a folder or a tar. Nothing is unpacked, and no path in a tar is used."""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..media.storage import check_digest, is_name
from .errors import DumpError
from .fields import parse_row
from .manifest import MAX_SIZE, NAME, Manifest, member_name, parse_manifest
from .tables import dumped_tables

PHOTOS = "photos/"
"""What the names of photo files begin with."""
MAX_LINE = 64 * 2**20
"""The longest line that is read, in bytes."""
_PHOTO_COLUMNS = {"photos": "name", "users": "avatar", "site_texts": "logo"}
"""The columns that name photo files, by table."""


class Archive:
    """A dump to read. What of it may be large is a stream: it keeps nothing of it in memory."""

    def __init__(self, path: Path) -> None:
        """Read the manifest. Raises DumpError where there is none, or it is damaged or newer."""
        self._path = path
        self._in_tar: dict[str, tarfile.TarInfo] = {}
        wrong = None if path.is_dir() else self._find_members()
        with self._open(NAME) as file:
            text = file.read(MAX_SIZE + 1)
        if len(text) > MAX_SIZE:
            raise DumpError(f"{NAME} is too large.")
        self.manifest: Manifest = parse_manifest(text)
        if wrong is not None:
            raise DumpError(wrong)

    def _find_members(self) -> str | None:
        """Note where each member of the tar is, but for photos; return what is wrong with others.

        A newer format may have further ones, so its manifest is read before that is an error.
        """
        known = {NAME, *(member_name(item.name) for item in dumped_tables(secrets=True))}
        wrong = None
        for info, _ in self._walk():
            if info.name in known and info.name not in self._in_tar:
                self._in_tar[info.name] = info
            elif not info.name.startswith(PHOTOS):
                problem = "a member twice" if info.name in known else "an unknown member"
                wrong = wrong or f"The dump has {problem}: {info.name[:80]!r}."
        if NAME not in self._in_tar:
            raise DumpError(f"{self._path} is no dump, or its end is missing: it has no {NAME}.")
        return wrong

    def _walk(self) -> Iterator[tuple[tarfile.TarInfo, BinaryIO]]:
        """Yield each member of the tar with its bytes, which are read before the next one."""
        with self._errors(str(self._path)), tarfile.open(self._path, "r:") as tar:
            while (info := tar.next()) is not None:
                file = tar.extractfile(info) if info.isreg() and not info.issparse() else None
                if file is None:
                    raise DumpError(f"{info.name[:80]!r} in the dump is no ordinary file.")
                yield info, cast(BinaryIO, file)
                forget_members(tar)

    @contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise DumpError(f"There is no {name}.") from None
        except tarfile.TarError as error:
            raise DumpError(f"{self._path} is no whole tar: {error}") from None
        except (OSError, EOFError, zlib.error) as error:
            raise DumpError(f"{name} cannot be read: {error}") from None

    @contextmanager
    def _open(self, name: str) -> Iterator[BinaryIO]:
        with self._errors(name):
            if self._path.is_dir():
                if not (self._path / name).is_file():
                    raise DumpError(f"The dump has no {name}.")
                with open(self._path / name, "rb") as opened:
                    yield opened
                return
            if name not in self._in_tar:
                raise DumpError(f"The dump has no {name}.")
            with tarfile.open(self._path, "r:") as tar:
                result = tar.extractfile(self._in_tar[name])
                assert result is not None, "an ordinary file"  # noqa: S101 - checked before
                yield cast(BinaryIO, result)

    def lines(self, table: str) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of a table with their numbers, from 1; none if the dump has no such.

        Raises DumpError where there are more or fewer than the manifest says, or one is too long.
        """
        member, name, number = self.manifest.tables.get(table), member_name(table), 0
        if member is None:
            return
        with self._open(name) as file, gzip.GzipFile(fileobj=file) as plain:
            while line := plain.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise DumpError(f"{name} line {number} is longer than {MAX_LINE} bytes.")
                if number > member.rows:
                    break
                yield number, line
        if number != member.rows:
            relation = "more" if number > member.rows else "fewer"
            raise DumpError(f"{name} has {relation} rows than the {member.rows} of the manifest.")

    def check_tables(self) -> None:
        """Raise DumpError where a table is missing, or its bytes are not those of the manifest."""
        for table, member in self.manifest.tables.items():
            name = member_name(table)
            with self._open(name) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
            if digest != member.sha256:
                raise DumpError(f"{name} is damaged: its SHA-256 is not that of the manifest.")

    def photos(self) -> Iterator[tuple[str, BinaryIO]]:
        """Yield the name and the bytes of each photo file of a tar. Raises DumpError."""
        for info, file in self._walk():
            if info.name.startswith(PHOTOS):
                name = info.name.removeprefix(PHOTOS)
                if not is_name(name):
                    raise DumpError(f"The dump has an unknown member: {info.name[:80]!r}.")
                yield name, file

    def check_photos(self) -> None:
        """Raise DumpError where the photo files are not those that the rows name.

        Those that the manifest says to be missing are not there; one without photos has none.
        """
        expected = self.photo_names() if self.manifest.photos else set()
        files = size = 0
        with self._errors(str(self._path)):
            for name, file in self.photos():
                if name not in expected:
                    raise DumpError(f"{PHOTOS}{name} is in the dump twice, or no row names it.")
                expected.remove(name)
                try:
                    size += check_digest(name, file)
                except ValueError:
                    raise DumpError(
                        f"{PHOTOS}{name} is damaged: its SHA-256 is not that of its name."
                    ) from None
                files += 1
        listed = self.manifest.photos
        if listed and (files, size, expected) != (listed.files, listed.size, set(listed.missing)):
            raise DumpError("The photo files in the dump are not those that the rows name.")

    def photo_names(self) -> set[str]:
        """Return the names of the photos, the avatars and the logo in the rows. Raises DumpError.

        The set is in memory: about 150 bytes each.
        """
        return {item for item in self._photo_values() if isinstance(item, str) and is_name(item)}

    def _photo_values(self) -> Iterator[object]:
        for table, column in _PHOTO_COLUMNS.items():
            for number, line in self.lines(table):
                try:
                    yield parse_row(line).get(column)
                except DumpError as error:
                    where = f"{member_name(table)} line {number}"
                    raise DumpError(f"{where}: {error}.") from None


def forget_members(tar: tarfile.TarFile) -> None:
    """Let a tar forget what it has read or written, which it would keep in memory, 1 kB a file."""
    whole: Any = tar
    whole.members = []
