"""Comparing the photo storages with the database, while the service runs.

An upload stores its bytes first and inserts its row after that, and storing existing bytes renews
their time (`Storage.put`). So files of the last hour may have no row yet, and are left alone.

A row is deleted only on request, and only if it names the storage of `photos.storage` and no
configured storage has its file. The file of any other row may be in a storage that is not
configured, or configured wrongly. The request is necessary because a host knows the files of its
own directory, and not those that another host has in a directory of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import Row

from ...db.engine import Database
from ...db.statements import delete_of, update_of
from ...errors import Conflict, NotFound
from ...media.storage import check_digest, parse_digest
from ...models import Photo, SiteText, User
from ...queries import photos
from ..accounts import data_export_requests
from .storage import PhotoStorages

BEING_UPLOADED = timedelta(hours=1)

T = TypeVar("T")
File = tuple[str, str]
"""A file: the name of its storage and its own name."""


@dataclass(slots=True)
class Findings:
    """The result of a check.

    checked: the number of files and rows. unreferenced: files without a row. small: small versions
    without a photo, which a crash between the deletions of both leaves. broken: files whose content
    does not match the digest in their name. missing: rows whose file is missing or broken, id ->
    name. in_unknown_storage: rows whose file is in no configured storage and that do not name the
    storage of new photos, id -> name. mismatched: rows with another size, digest or storage than
    their intact file, id -> the right values. missing_avatars: users whose avatar is missing, id ->
    name. missing_logo: the name of the site's logo if its file is missing.
    """

    checked: int = 0
    unreferenced: list[File] = field(default_factory=list)
    small: list[File] = field(default_factory=list)
    broken: list[File] = field(default_factory=list)
    missing: dict[int, str] = field(default_factory=dict)
    in_unknown_storage: dict[int, str] = field(default_factory=dict)
    mismatched: dict[int, dict[str, Any]] = field(default_factory=dict)
    missing_avatars: dict[int, str] = field(default_factory=dict)
    missing_logo: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """The number of errors of each kind."""
        return {
            "files_without_row": len(self.unreferenced),
            "small_without_photo": len(self.small),
            "broken_files": len(self.broken),
            "rows_without_file": len(self.missing),
            "rows_elsewhere": len(self.in_unknown_storage),
            "wrong_rows": len(self.mismatched),
            "lost_avatars": len(self.missing_avatars),
            "lost_logos": int(bool(self.missing_logo)),
        }


class PhotoAudit:
    """One check. It keeps the names and sizes of all files in memory."""

    def __init__(
        self,
        database: Database,
        storages: PhotoStorages,
        now: datetime,
        *,
        verify_content: bool = False,
        progress: Callable[[], None] = lambda: None,
    ) -> None:
        """verify_content: read every file and compare its digest, which takes long; otherwise only
        files whose size differs from the row. progress: called for each file and each row.
        """
        self._database = database
        self._storages = dict(storages.items())
        self._default = storages.default
        self._before = now - BEING_UPLOADED
        self._verify_content = verify_content
        self._progress = progress
        self._sizes: dict[File, int] = {}
        self._intact: dict[File, bool] = {}

    def check(self) -> Findings:
        """Return what is wrong.

        Raises Conflict if the storage for new photos has no file at all although rows name it:
        then the settings are probably wrong. Raises OSError if a storage fails.
        """
        findings = Findings()
        unreferenced = self._check_files()
        findings.small = self._small_without_photo()
        self._check_rows(findings)
        findings.broken = sorted(
            file for file, intact in self._intact.items() if not intact and file in self._sizes
        )
        findings.unreferenced = [file for file in unreferenced if self._intact.get(file, True)]
        return findings

    def fix(self, findings: Findings, *, delete_missing: bool) -> int:
        """Fix what was found, and remove partial uploads and exports that no row names; return how
        many of those.

        Unreferenced and broken files are deleted. Mismatched values are corrected.

        delete_missing: also delete the rows of `findings.missing`, and give the letter avatar to
        users whose avatar is missing, and the site the logo of the ini file. Only another upload
        can restore such a photo, and it does not need the row. Rows of
        `findings.in_unknown_storage` stay in any case.
        """
        for storage_name, name in findings.unreferenced:
            self._storages[storage_name].delete_if_older_than(name, self._before)
        for storage_name, name in findings.small:
            self._storages[storage_name].delete_small(name)
        for storage_name, name in findings.broken:
            self._intact.pop((storage_name, name), None)
            if not self._is_intact(storage_name, name):  # it may be uploaded again meanwhile
                self._storages[storage_name].delete(name)
        if delete_missing:
            self._delete_lost(findings)
        for photo_id, right in findings.mismatched.items():
            with self._database.session.begin() as db:
                db.execute(update_of(Photo).where(Photo.id == photo_id).values(**right))
        storages = PhotoStorages(self._default, self._storages)
        orphans = data_export_requests.remove_orphans(self._database, storages, self._before)
        return orphans + sum(
            storage.remove_partial_uploads(self._before) for storage in self._storages.values()
        )

    def _delete_lost(self, findings: Findings) -> None:
        for ids in _batches(self._still_missing(findings.missing)):
            with self._database.session.begin() as db:
                db.execute(delete_of(Photo).where(Photo.id.in_(ids)))
        for ids in _batches(self._still_missing(findings.missing_avatars)):
            with self._database.session.begin() as db:
                db.execute(update_of(User).where(User.id.in_(ids)).values(avatar=""))
        if findings.missing_logo:
            with self._database.session.begin() as db:
                lost = SiteText.logo == findings.missing_logo
                db.execute(update_of(SiteText).where(lost).values(logo=""))

    def _still_missing(self, missing: dict[int, str]) -> list[int]:
        """Return the ids of those that were not uploaded again since."""
        self._intact.clear()
        self._sizes.clear()
        return [id_ for id_, name in missing.items() if self._find_storage(name, None) is None]

    def _check_files(self) -> list[File]:
        """Record the size of every file; return those without a row."""
        unreferenced: list[File] = []
        for storage_name, storage in self._storages.items():
            old = []
            for stored in storage.list_objects():
                self._sizes[storage_name, stored.name] = stored.size
                if stored.modified < self._before:
                    old.append(stored.name)
                if self._verify_content:
                    self._is_intact(storage_name, stored.name)
                self._progress()
            with self._database.reads.connect() as db:
                for names in _batches(old):
                    referenced = photos.named(db, names)
                    unreferenced += [
                        (storage_name, name) for name in names if name not in referenced
                    ]
        return unreferenced

    def _small_without_photo(self) -> list[File]:
        """Return the small versions whose photo is not in their storage. One that is made anew when
        the photo is uploaded again may go: it is made once more.
        """
        return [
            (storage_name, small.name)
            for storage_name, storage in self._storages.items()
            for small in storage.list_small()
            if small.modified < self._before and (storage_name, small.name) not in self._sizes
        ]

    def _check_rows(self, result: Findings) -> None:
        with self._database.reads.connect() as db:
            rows = new = 0
            for row in photos.all_photos(db):
                result.checked += 1
                if row.storage == self._default:
                    rows += 1
                    # It may have been uploaded after the files were listed.
                    new += row.created_at > self._before and self._is_in_default_storage(row.name)
                for storage_name in self._storages:
                    if self._sizes.get((storage_name, row.name), row.size) != row.size:
                        self._is_intact(storage_name, row.name)
                self._progress()
            with_files = {storage_name for storage_name, _ in self._sizes}
            if rows and not new and self._default not in with_files:
                raise Conflict(
                    f"The storage {self._default} has no photo at all, the database has {rows}: "
                    "are the settings photos.* right?"
                )
            result.checked += len(self._sizes)
            for row in photos.all_photos(db):
                self._check_row(row, result)
            unknown = set(result.in_unknown_storage.values())
            for user in photos.avatars(db):
                if self._find_storage(user.avatar, None) is None and user.avatar not in unknown:
                    result.missing_avatars[user.id] = user.avatar
            logo = photos.logo(db)
            if logo and self._find_storage(logo, None) is None and logo not in unknown:
                result.missing_logo = logo

    def _is_in_default_storage(self, name: str) -> bool:
        """Return whether the storage for new photos has the file, intact if it was not listed."""
        return (self._default, name) in self._sizes or self._is_intact(self._default, name)

    def _check_row(self, row: Row[Any], result: Findings) -> None:
        """Compare a row with its file."""
        storage_name = self._find_storage(row.name, row.storage)
        if storage_name is None:
            missing = result.missing if row.storage == self._default else result.in_unknown_storage
            missing[row.id] = row.name
            return
        size = self._sizes.get((storage_name, row.name), row.size)
        right = {"size": size, "digest": parse_digest(row.name), "storage": storage_name}
        stored = {"size": row.size, "digest": row.digest, "storage": row.storage}
        if stored != right:
            result.mismatched[row.id] = right

    def _find_storage(self, name: str, preferred: str | None) -> str | None:
        """Return which storage has the intact file, trying `preferred` first; None for none."""
        for storage_name in sorted(self._storages, key=lambda name: name != preferred):
            is_there = self._intact.get((storage_name, name), (storage_name, name) in self._sizes)
            if is_there or self._is_intact(storage_name, name):
                return storage_name
        return None

    def _is_intact(self, storage_name: str, name: str) -> bool:
        """Return whether a file exists and its content matches the digest in its name."""
        file = storage_name, name
        if file not in self._intact:
            try:
                with self._storages[storage_name].open(name) as opened:
                    check_digest(name, opened)
                self._intact[file] = True
            except (NotFound, ValueError):
                self._intact[file] = False
        return self._intact[file]


def _batches(items: Sequence[T], size: int = 500) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
