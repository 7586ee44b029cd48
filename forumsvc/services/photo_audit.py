"""Comparing the photo storages with what is written down of them, beside a running service.

An upload stores its bytes first and writes its row after that, and bytes that are there already
count as put anew (`Storage.put`). So bytes of the last hour may still be waiting for their row, and
are left alone.

A row is deleted only where it says that its file is in the storage of `photos.storage`, and that
storage and all others that the settings name lack it. The file of any other row may be in a storage
that the settings do not name, or name wrongly. And it is deleted only where that is asked for: a
host knows the files of its own folder, and none of those that another host has in a folder of its
own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import Row

from ..db.engine import Database
from ..db.statements import delete_of, update_of
from ..errors import Conflict, NotFound
from ..media.storage import check_digest, parse_digest
from ..models import Photo, User
from ..queries import photos
from .photo_storage import PhotoStorages

BEING_UPLOADED = timedelta(hours=1)

T = TypeVar("T")
File = tuple[str, str]
"""A file: the word of its storage and its name."""


@dataclass(slots=True)
class Findings:
    """What is wrong.

    checked: how many files and rows were looked at. unnamed: files that no row names. broken:
    files that do not hold the bytes that their names stand for. lost: rows whose file is missing
    or broken, id -> name. elsewhere: rows whose file is in no storage that the settings name, and
    not said to be in the one for new photos, id -> name. wrong: rows that give another size,
    digest or storage than their good file has, id -> what is right. unplaced: rows that do not say
    where their file is, which is there, id -> storage; no mistake. avatars: users whose picture is
    lost, id -> name.
    """

    checked: int = 0
    unnamed: list[File] = field(default_factory=list)
    broken: list[File] = field(default_factory=list)
    lost: dict[int, str] = field(default_factory=dict)
    elsewhere: dict[int, str] = field(default_factory=dict)
    wrong: dict[int, dict[str, Any]] = field(default_factory=dict)
    unplaced: dict[int, str] = field(default_factory=dict)
    avatars: dict[int, str] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind of mistake."""
        return {
            "files_without_row": len(self.unnamed),
            "broken_files": len(self.broken),
            "rows_without_file": len(self.lost),
            "rows_elsewhere": len(self.elsewhere),
            "wrong_rows": len(self.wrong),
            "lost_avatars": len(self.avatars),
        }


class PhotoAudit:
    """One comparison; it keeps the names and sizes of all files in memory."""

    def __init__(
        self,
        database: Database,
        storages: PhotoStorages,
        now: datetime,
        *,
        every_byte: bool = False,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        """Compare nothing yet.

        every_byte: whether to read every file and compare it with its name, which takes long; else
        only those of another size than is written down. done: called for each file and each row.
        """
        self._database = database
        self._storages = dict(storages.items())
        self._default = storages.default
        self._before = now - BEING_UPLOADED
        self._every_byte = every_byte
        self._done = done
        self._sizes: dict[File, int] = {}
        self._whole: dict[File, bool] = {}

    def check(self) -> Findings:
        """Return what is wrong.

        Raises Conflict where the storage for new photos has no file at all, and rows that name
        it: then rather the settings are wrong than the pictures gone. Raises OSError where a
        storage fails.
        """
        found = Findings()
        unnamed = self._look_at_files()
        self._look_at_rows(found)
        found.broken = sorted(
            file for file, whole in self._whole.items() if not whole and file in self._sizes
        )
        found.unnamed = [file for file in unnamed if self._whole.get(file, True)]
        return found

    def mend(self, found: Findings, *, delete_lost: bool) -> int:
        """Mend what was found, and remove what killed uploads left; return how many of those.

        Files that no row names are deleted, and broken ones. Wrong sizes, digests and storages are
        corrected, unknown storages filled in.

        delete_lost: whether the rows of `found.lost` are deleted too, and users whose picture is
        lost get their letter again. Nothing can bring the picture back but another upload, for
        which the row is no help. Those of `found.elsewhere` stay in any case.
        """
        for word, name in found.unnamed:
            self._storages[word].delete_if_older_than(name, self._before)
        for word, name in found.broken:
            self._storages[word].delete(name)
        if delete_lost:
            self._delete_lost(found)
        for photo_id, right in found.wrong.items():
            with self._database.session.begin() as db:
                db.execute(update_of(Photo).where(Photo.id == photo_id).values(**right))
        for word in self._storages:
            for ids in _parts([id_ for id_, place in found.unplaced.items() if place == word]):
                unplaced = (Photo.id.in_(ids), Photo.storage.is_(None))
                with self._database.session.begin() as db:
                    db.execute(update_of(Photo).where(*unplaced).values(storage=word))
        return sum(
            storage.remove_partial_uploads(self._before) for storage in self._storages.values()
        )

    def _delete_lost(self, found: Findings) -> None:
        for ids in _parts(self._still_lost(found.lost)):
            with self._database.session.begin() as db:
                db.execute(delete_of(Photo).where(Photo.id.in_(ids)))
        for ids in _parts(self._still_lost(found.avatars)):
            with self._database.session.begin() as db:
                db.execute(update_of(User).where(User.id.in_(ids)).values(avatar=""))

    def _still_lost(self, lost: dict[int, str]) -> list[int]:
        """Return the ids of those that nobody has uploaded again since."""
        self._whole.clear()
        self._sizes.clear()
        return [id_ for id_, name in lost.items() if self._place(name, None) is None]

    def _look_at_files(self) -> list[File]:
        """Remember the size of every file; return those that no row names."""
        unnamed: list[File] = []
        for word, storage in self._storages.items():
            old = []
            for stored in storage.list_objects():
                self._sizes[word, stored.name] = stored.size
                if stored.modified < self._before:
                    old.append(stored.name)
                if self._every_byte:
                    self._is_whole(word, stored.name)
                self._done()
            with self._database.reads.connect() as db:
                for names in _parts(old):
                    there = photos.named(db, names)
                    unnamed += [(word, name) for name in names if name not in there]
        return unnamed

    def _look_at_rows(self, found: Findings) -> None:
        with self._database.reads.connect() as db:
            rows = new = 0
            for row in photos.everything(db):
                found.checked += 1
                if row.storage == self._default:
                    rows += 1
                    # It may have come after the files were listed.
                    new += row.created_at > self._before and self._is_there(row.name)
                for word in self._storages:
                    if self._sizes.get((word, row.name), row.size) != row.size:
                        self._is_whole(word, row.name)
                self._done()
            if rows and not new and not any(word == self._default for word, _ in self._sizes):
                raise Conflict(
                    f"The storage {self._default} holds no picture at all, and {rows} are written "
                    "down: are the settings photos.* right?"
                )
            found.checked += len(self._sizes)
            for row in photos.everything(db):
                self._judge(row, found)
            kept = set(found.elsewhere.values())
            for user in photos.avatars(db):
                if self._place(user.avatar, None) is None and user.avatar not in kept:
                    found.avatars[user.id] = user.avatar

    def _is_there(self, name: str) -> bool:
        """Tell whether the storage for new photos has the file, whole where it was not listed."""
        return (self._default, name) in self._sizes or self._is_whole(self._default, name)

    def _judge(self, row: Row[Any], found: Findings) -> None:
        """Judge a row by its file."""
        word = self._place(row.name, row.storage)
        if word is None:
            lost = found.lost if row.storage == self._default else found.elsewhere
            lost[row.id] = row.name
            return
        size = self._sizes.get((word, row.name), row.size)
        right = {"size": size, "digest": parse_digest(row.name), "storage": word}
        there = {"size": row.size, "digest": row.digest, "storage": row.storage or word}
        if there != right:
            found.wrong[row.id] = right
        elif row.storage is None:
            found.unplaced[row.id] = word

    def _place(self, name: str, said: str | None) -> str | None:
        """Return which storage has the whole file, the one that is said first; None for none."""
        for word in sorted(self._storages, key=lambda word: word != said):
            there = self._whole.get((word, name), (word, name) in self._sizes)
            if there or self._is_whole(word, name):
                return word
        return None

    def _is_whole(self, word: str, name: str) -> bool:
        """Tell whether the bytes under a name are there, and those that it stands for."""
        file = word, name
        if file not in self._whole:
            try:
                with self._storages[word].open(name) as opened:
                    check_digest(name, opened)
                self._whole[file] = True
            except (NotFound, ValueError):
                self._whole[file] = False
        return self._whole[file]


def _parts(items: Sequence[T], size: int = 500) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
