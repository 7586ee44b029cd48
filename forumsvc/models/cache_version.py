"""What has changed: by it a page that is kept in memory is known to be true still."""

import secrets

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base

_BITS = 48


def fresh_mark() -> int:
    """Return a mark that nothing has had before.

    Drawn at random, not counted up: a database that was put back to an older state must not give
    new content a mark that the lost content had. Short enough for sums of a few to fit.
    """
    return secrets.randbits(_BITS)


class ChangeMark(Base):
    """When anything that shared pages show was last changed.

    Whoever changes something renews the marks of one slot, in the same transaction. The slots keep
    writers from waiting for each other; all slots together are the state of the forum.
    """

    __tablename__ = "change_marks"

    slot: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    lists: Mapped[int] = mapped_column(BigInteger)
    """Of topics, as far as lists show them, and of which topics there are."""
    names: Mapped[int] = mapped_column(BigInteger)
    """Of what stands beside every post: how users and nodes are called and look."""
