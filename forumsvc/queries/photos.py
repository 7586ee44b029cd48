"""Loads the rows of photos."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Row, Select, bindparam, func, select

from ..db.compiled_statement import Query
from ..db.execution import ReadConnection, SqlConnection, row, rows
from ..db.keyset_paging import KeysetPage, PageRequest, PageRows, SortOrder, load_page
from ..models import Photo, SiteText, User
from .rows import PhotoRow, columns

_BATCH_SIZE = 1000
_NEWEST_FIRST = SortOrder("photos", id=Photo.id)
_COLUMNS = columns(Photo, PhotoRow)
_BY_ID: Any = select(*_COLUMNS).where(Photo.id == bindparam("id"))


def by_id(db: ReadConnection, photo_id: int) -> PhotoRow | None:
    return row(db, _BY_ID, {"id": photo_id})


_BY_NAME: Any = select(*_COLUMNS).where(
    Photo.user_id == bindparam("user_id"), Photo.name == bindparam("name")
)


def by_name(db: ReadConnection, user_id: int, name: str) -> PhotoRow:
    """Return a user's photo of that name, which there must be."""
    [result] = rows(db, _BY_NAME, {"user_id": user_id, "name": name})
    return result


@cache
def _page(keyset: KeysetPage) -> Query:
    statement = select(*_COLUMNS).where(Photo.user_id == bindparam("user_id"))
    return keyset.apply(statement)


def page_of(db: ReadConnection, user_id: int, page: PageRequest) -> PageRows:
    """Return a page of a user's photos, with the columns of `by_id`, newest first."""
    return load_page(db, page, _NEWEST_FIRST, _page, {"user_id": user_id})


_SIZES: Any = select(Photo.name, Photo.width, Photo.height).where(
    Photo.name.in_(bindparam("names", expanding=True))
)


def sizes(db: ReadConnection, names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the width and height of the photos of these names, by name; no SELECT without any."""
    found = rows(db, _SIZES, {"names": names}) if names else ()
    return {item.name: (item.width, item.height) for item in found}


_USED_BYTES: Any = select(
    func.coalesce(func.sum(Photo.size), 0, type_=BigInteger).label("used")
).where(Photo.user_id == bindparam("user_id"))


def used_bytes(db: ReadConnection, user_id: int) -> int:
    """Return the total size of a user's photos in bytes."""
    return int(rows(db, _USED_BYTES, {"user_id": user_id})[0].used)


_STORAGES: Any = select(Photo.storage).where(Photo.name == bindparam("name")).distinct()


def storages_of(db: ReadConnection, name: str) -> set[str]:
    """Return the storages in which the photos of this name have their file."""
    return {item.storage for item in rows(db, _STORAGES, {"name": name})}


def is_used(db: SqlConnection, name: str) -> bool:
    """Return whether a photo, an avatar or the logo has this name."""
    return name in named(db, [name])


def named(db: SqlConnection, names: Sequence[str]) -> set[str]:
    """Return those of the names that a photo, an avatar or the logo has."""
    owned = select(Photo.name).where(Photo.name.in_(names))
    # The second condition is the index's.
    shown = select(User.avatar).where(User.avatar.in_(names), User.avatar != "")
    logo = select(SiteText.logo).where(SiteText.logo.in_(names))
    return set(db.execute(owned.union(shown, logo)).scalars())


def all_photos(db: SqlConnection) -> Iterator[Row[Any]]:
    """Return an iterator of every photo, in the order of the ids.

    Its columns: id, name, media_type, size, digest, storage, created_at.
    """
    columns: tuple[Any, ...] = (
        Photo.id,
        Photo.name,
        Photo.media_type,
        Photo.size,
        Photo.digest,
        Photo.storage,
        Photo.created_at,
    )
    return _in_batches(db, select(*columns), Photo.id)


def avatars(db: SqlConnection) -> Iterator[Row[Any]]:
    """Return an iterator of every user (id, avatar) who has an avatar."""
    columns: tuple[Any, ...] = (User.id, User.avatar)
    return _in_batches(db, select(*columns).where(User.avatar != ""), User.id)


def logo(db: SqlConnection) -> str:
    """Return the name of the logo that administrators uploaded; empty without one."""
    return db.execute(select(SiteText.logo)).scalar() or ""


def _in_batches(db: SqlConnection, statement: Select[Any], id_: Any) -> Iterator[Row[Any]]:
    batch = statement.order_by(id_).limit(_BATCH_SIZE)
    result = db.execute(batch).all()
    while result:
        yield from result
        result = db.execute(batch.where(id_ > result[-1].id)).all()
