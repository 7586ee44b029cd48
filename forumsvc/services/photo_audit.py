"""Comparing the photo storage with what is written down of it, beside a running service.

An upload stores its bytes first and writes its row after that, and bytes that are there already
count as put anew (`Storage.put`). So bytes of the last hour may still be waiting for their row, and
are left alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from ..errors import Conflict, NotFound
from ..media.storage import Storage, check_digest, digest_of
from ..models import Photo, User
from ..models.engine import Database
from ..models.statements import change, remove
from ..queries import photos

BEING_UPLOADED = timedelta(hours=1)

T = TypeVar("T")


@dataclass(slots=True)
class Findings:
    """What is wrong.

    checked: how many files and rows were looked at. unnamed: names of files that no row names.
    broken: names of files that do not hold the bytes that their names stand for. lost: rows whose
    file is missing or broken, id -> name. wrong: rows that give another size or digest than their
    good file has, id -> name and right size. avatars: users whose picture is lost, id -> name.
    """

    checked: int = 0
    unnamed: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    lost: dict[int, str] = field(default_factory=dict)
    wrong: dict[int, tuple[str, int]] = field(default_factory=dict)
    avatars: dict[int, str] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind of mistake."""
        return {
            "files_without_row": len(self.unnamed),
            "broken_files": len(self.broken),
            "rows_without_file": len(self.lost),
            "wrong_rows": len(self.wrong),
            "lost_avatars": len(self.avatars),
        }


class PhotoAudit:
    """One comparison; it keeps the names and sizes of all files in memory."""

    def __init__(
        self,
        database: Database,
        storage: Storage,
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
        self._storage = storage
        self._before = now - BEING_UPLOADED
        self._every_byte = every_byte
        self._done = done
        self._sizes: dict[str, int] = {}
        self._whole: dict[str, bool] = {}

    def check(self) -> Findings:
        """Return what is wrong.

        Raises Conflict where no file at all is there for the rows that there are: then rather the
        settings are wrong than the pictures gone. Raises OSError where the storage fails.
        """
        found = Findings()
        unnamed = self._look_at_files()
        self._look_at_rows(found)
        found.broken = sorted(
            name for name, whole in self._whole.items() if not whole and name in self._sizes
        )
        found.unnamed = [name for name in unnamed if self._whole.get(name, True)]
        return found

    def mend(self, found: Findings) -> int:
        """Mend what was found, and remove what killed uploads left; return how many of those.

        Files that no row names are deleted, and broken ones. A row without its file is deleted too:
        nothing can bring the picture back but another upload, for which the row is no help. Users
        whose picture is lost get their letter again. Wrong sizes and digests are corrected.
        """
        for name in found.unnamed:
            self._storage.discard(name, self._before)
        for name in found.broken:
            self._storage.delete(name)
        for ids in _parts(self._still_lost(found.lost)):
            with self._database.session.begin() as db:
                db.execute(remove(Photo).where(Photo.id.in_(ids)))
        for ids in _parts(self._still_lost(found.avatars)):
            with self._database.session.begin() as db:
                db.execute(change(User).where(User.id.in_(ids)).values(avatar=""))
        for photo_id, (name, size) in found.wrong.items():
            right = {"size": size, "digest": digest_of(name)}
            with self._database.session.begin() as db:
                db.execute(change(Photo).where(Photo.id == photo_id).values(**right))
        return self._storage.tidy(self._before)

    def _still_lost(self, lost: dict[int, str]) -> list[int]:
        """Return the ids of those that nobody has uploaded again since."""
        self._whole.clear()
        return [id_ for id_, name in lost.items() if not self._is_whole(name)]

    def _look_at_files(self) -> list[str]:
        """Remember the size of every file; return the names of those that no row names."""
        old = []
        for stored in self._storage.names():
            self._sizes[stored.name] = stored.size
            if stored.modified < self._before:
                old.append(stored.name)
            if self._every_byte:
                self._is_whole(stored.name)
            self._done()
        unnamed: list[str] = []
        with self._database.reads.connect() as db:
            for names in _parts(old):
                there = photos.named(db, names)
                unnamed += [name for name in names if name not in there]
        return unnamed

    def _look_at_rows(self, found: Findings) -> None:
        with self._database.reads.connect() as db:
            rows = 0
            for row in photos.everything(db):
                rows += 1
                if self._sizes.get(row.name) != row.size:
                    self._is_whole(row.name)
                self._done()
            if rows and not self._sizes and not any(self._whole.values()):
                raise Conflict(
                    f"The storage holds no picture at all, and {rows} are written down: "
                    "are the settings photos.* right?"
                )
            found.checked = rows + len(self._sizes)
            for row in photos.everything(db):
                self._judge(row.id, row.name, row.size, row.digest, found)
            for user in photos.avatars(db):
                there = self._whole.get(user.avatar, user.avatar in self._sizes)
                if not there and not self._is_whole(user.avatar):
                    found.avatars[user.id] = user.avatar

    def _judge(self, row_id: int, name: str, size: int, digest: str, found: Findings) -> None:
        """Judge a row by its file."""
        if not self._whole.get(name, True):
            found.lost[row_id] = name
        elif name in self._sizes and (size, digest) != (self._sizes[name], digest_of(name)):
            found.wrong[row_id] = (name, self._sizes[name])

    def _is_whole(self, name: str) -> bool:
        """Tell whether the bytes under a name are there, and those that it stands for."""
        if name not in self._whole:
            try:
                with self._storage.open(name) as file:
                    check_digest(name, file)
                self._whole[name] = True
            except (NotFound, ValueError):
                self._whole[name] = False
        return self._whole[name]


def _parts(items: Sequence[T], size: int = 500) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
