"""Reading the members of a dump, which is a folder or a tar. Nothing is unpacked."""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from .errors import DumpError
from .manifest import MAX_SIZE, NAME, Manifest, Member, member_name, parse_manifest

MAX_LINE = 64 * 2**20
"""The longest line that is read, in bytes."""
_MAX_MEMBERS = 1_000
_BLOCK = 2**20


class Source:
    """A dump to read. Only members of known names are opened, and no path in it is used."""

    def __init__(self, path: Path) -> None:
        """Raise DumpError where the path is neither a folder nor a tar."""
        self._path = path
        self._in_tar: dict[str, tarfile.TarInfo] | None = None
        if path.is_dir():
            return
        try:
            with tarfile.open(path, "r:") as tar:
                self._in_tar = {}
                for number, info in enumerate(tar):
                    if number >= _MAX_MEMBERS:
                        raise DumpError(f"{path} has too many members for a dump.")
                    self._in_tar[info.name] = info
        except FileNotFoundError:
            raise DumpError(f"There is no {path}.") from None
        except (tarfile.TarError, OSError) as error:
            raise DumpError(f"{path} is neither a folder nor a tar: {error}") from None

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open a member. Raises DumpError where it is missing or cannot be read."""
        try:
            if self._in_tar is None:
                file = self._path / name
                if not file.is_file():
                    raise DumpError(f"The dump has no {name}.")
                with file.open("rb") as opened:
                    yield opened
                return
            info = self._in_tar.get(name)
            if info is None or not info.isreg() or info.issparse():
                raise DumpError(f"The dump has no {name}.")
            with tarfile.open(self._path, "r:") as tar:
                found = tar.extractfile(info)
                assert found is not None, "it is a regular file"  # noqa: S101 - checked above
                yield found
        except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
            raise DumpError(f"{name} cannot be read: {error}") from None

    def manifest(self) -> Manifest:
        """Return the manifest. Raises DumpError for one that cannot be read or is not known."""
        with self.open(NAME) as file:
            text = file.read(MAX_SIZE + 1)
        if len(text) > MAX_SIZE:
            raise DumpError(f"{NAME} is too large.")
        return parse_manifest(text)

    def lines(self, table: str, member: Member) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of a table with their numbers, from 1.

        Raises DumpError where there are more or fewer than the manifest says, or one is too long.
        """
        name = member_name(table)
        number = 0
        with self.open(name) as file, gzip.GzipFile(fileobj=file) as plain:
            while line := plain.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise DumpError(f"{name} line {number} is longer than {MAX_LINE} bytes.")
                if number > member.rows:
                    break
                yield number, line
        if number != member.rows:
            more = "more" if number > member.rows else "fewer"
            raise DumpError(f"{name} has {more} rows than the {member.rows} of the manifest.")

    def check_digest(self, table: str, member: Member) -> None:
        """Raise DumpError where the bytes of a member are not those of the manifest."""
        name = member_name(table)
        digest = hashlib.sha256()
        with self.open(name) as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        if digest.hexdigest() != member.sha256:
            raise DumpError(f"{name} is damaged: its SHA-256 is not that of the manifest.")


def verify_dump(path: Path) -> Manifest:
    """Check the manifest of a dump and the digest of each member, and return the manifest.

    path: a folder or a tar. Raises DumpError for what does not hold.
    """
    source = Source(path)
    manifest = source.manifest()
    for table, member in manifest.tables.items():
        source.check_digest(table, member)
    return manifest
