"""Moving photos from one storage to another, while the service runs.

Each file is copied, read back and compared with its name, which is its SHA-256; then its rows are
changed to name the target storage. Storing, moving and removing the bytes of a name is serialized
(`photos.lock_name`). A run that was stopped is continued by the next one: the rows say what is
moved already.
"""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ...db.engine import Database
from ...db.execution import SqlConnection
from ...db.statements import update_of
from ...errors import NotFound
from ...media.storage import Storage, check_digest, media_type_of
from ...models import Photo
from ...queries import photos
from .photos import lock_name


@dataclass(slots=True)
class CopyResult:
    """The result of a run, in numbers of files.

    copied: files that are now intact in the target; bytes: their size. missing: files that rows
    name in the source, and that neither storage has. broken: files of the source whose content does
    not match the digest in their name. deleted: files deleted from the source. kept: files of the
    source that stay, because a row still needs them there.
    """

    copied: int = 0
    bytes: int = 0
    missing: int = 0
    broken: int = 0
    deleted: int = 0
    kept: int = 0


class PhotoCopy:
    """One run from a source to a target."""

    def __init__(
        self,
        database: Database,
        source: tuple[str, Storage],
        target: tuple[str, Storage],
        progress: Callable[[], None] = lambda: None,
    ) -> None:
        """source, target: a storage with its name in the rows. progress: called for each file."""
        self._database = database
        self._source_name, self._source = source
        self._target_name, self._target = target
        self._progress = progress
        self._verified: set[str] = set()

    def run(self, *, delete: bool) -> CopyResult:
        """Copy what is not moved yet. delete: delete from the source what is safe in the target.

        Raises OSError if a storage fails; files moved until then stay moved.
        """
        result = CopyResult()
        for name in self._names():
            self._move(name, result)
            self._progress()
        if delete:
            for stored in self._source.list_objects():
                self._delete(stored.name, result)
                self._progress()
        return result

    def _names(self) -> Iterator[str]:
        """Yield the names of files that may be in the source only: rows, avatars, the logo."""
        seen: set[str] = set()
        with self._database.reads.connect() as db:
            for row in photos.all_photos(db):
                if row.storage == self._source_name and row.name not in seen:
                    seen.add(row.name)
                    yield row.name
            for name in self._names_without_rows(db):
                if name not in seen and not photos.storages_of(db, name):
                    seen.add(name)
                    yield name

    def _names_without_rows(self, db: SqlConnection) -> Iterator[str]:
        for user in photos.avatars(db):
            yield user.avatar
        if logo := photos.logo(db):
            yield logo

    def _move(self, name: str, result: CopyResult) -> None:
        """Copy a file, verify the copy, and update its rows."""
        with tempfile.TemporaryFile() as spool:
            try:
                with self._source.open(name) as file:
                    size = check_digest(name, file, spool)
            except NotFound:
                # Deleted from the source by a run that was stopped before its rows were moved.
                if not self._is_in_target(name):
                    named = photos.storages_of(self._database.executor, name)
                    result.missing += self._source_name in named
                    return
                with self._target.open(name) as file:
                    size = check_digest(name, file, spool)
            except ValueError:
                result.broken += 1
                return
            self._put(name, spool)
            if not self._is_in_target(name):
                # A file of the right size with other content, which put does not replace.
                self._target.delete(name)
                self._put(name, spool)
                if not self._is_in_target(name):
                    raise OSError(f"{self._target_name} does not return what was stored: {name}")
            with self._database.session.begin() as db:
                lock_name(db, name)
                is_match = (Photo.name == name, Photo.storage == self._source_name)
                moved = update_of(Photo).where(*is_match)
                db.execute(moved.values(storage=self._target_name))
                if not photos.is_used(db, name):
                    self._target.delete(name)  # its owner has deleted it in the meantime
                    return
                self._put(name, spool)  # cheap if it was not removed in the meantime
        self._verified.add(name)
        result.copied += 1
        result.bytes += size

    def _put(self, name: str, spool: BinaryIO) -> None:
        spool.seek(0)
        self._target.put(name, spool, media_type_of(name))

    def _delete(self, name: str, result: CopyResult) -> None:
        """Delete a file from the source if all its rows name the target, which has it intact."""
        with self._database.session.begin() as db:
            lock_name(db, name)
            named = photos.storages_of(db, name)
            # An avatar may have no row, and a logo has none: then this run has copied it.
            is_moved = named == {self._target_name} if named else name in self._verified
            if is_moved and (name in self._verified or self._is_in_target(name)):
                self._source.delete(name)
                result.deleted += 1
            else:
                result.kept += 1

    def _is_in_target(self, name: str) -> bool:
        try:
            with self._target.open(name) as file:
                check_digest(name, file)
        except (NotFound, ValueError):
            return False
        return True
