"""Reading what is written down of stored pictures."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Row, select

from ..models import Photo, User
from .reading import Connected

_MANY = 1000


def everything(db: Connected) -> Iterator[Row[Any]]:
    """Yield every photo (id, name, size, digest, created_at), in the order of the ids."""
    columns: tuple[Any, ...] = (Photo.id, Photo.name, Photo.size, Photo.digest, Photo.created_at)
    statement = select(*columns).order_by(Photo.id).limit(_MANY)
    found = db.execute(statement).all()
    while found:
        yield from found
        found = db.execute(statement.where(Photo.id > found[-1].id)).all()


def avatars(db: Connected) -> Iterator[Row[Any]]:
    """Yield every user (id, avatar) with a picture of their own."""
    columns: tuple[Any, ...] = (User.id, User.avatar)
    statement = select(*columns).where(User.avatar != "").order_by(User.id).limit(_MANY)
    found = db.execute(statement).all()
    while found:
        yield from found
        found = db.execute(statement.where(User.id > found[-1].id)).all()


def named(db: Connected, names: Sequence[str]) -> set[str]:
    """Return those of the names under which somebody has a picture."""
    return set(db.execute(select(Photo.name).where(Photo.name.in_(names))).scalars())
