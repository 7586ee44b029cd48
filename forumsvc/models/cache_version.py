"""Cache versions: a cached page is valid as long as the version is the same."""

import secrets

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base
from .declarations import Dump, Part

_BITS = 48


def random_version() -> int:
    """Return a version that was never used before.

    It is random and not counted up, because a database that is restored from a backup must not
    give new content a version that the lost content had. The sum of a few fits into 64 bits.
    """
    return secrets.randbits(_BITS)


class CacheVersion(Base):
    """A slot of the cache versions of what cached pages show.

    Each transaction changes the versions in one slot, so that writers do not wait for each other.
    The version of a page is the sum over all slots.
    """

    __tablename__ = "change_marks"
    __dump__ = Dump(Part.LEFT_OUT, "versions of cached pages; a load gives new ones")

    slot: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    lists: Mapped[int] = mapped_column(BigInteger)
    """Of which topics there are, and of what lists show of them."""
    names: Mapped[int] = mapped_column(BigInteger)
    """Of what stands beside every post: names of users and nodes, and avatars."""
    access: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    """Of what each process keeps in memory: the access blocks, and the texts of the site."""
