"""Leases: which process works on something that only one may work on at a time."""

from sqlalchemy import BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base
from .declarations import Dump, Part


class Lease(Base):
    """A process holds `name` until a time, and renews it while it lives."""

    __tablename__ = "leases"
    __dump__ = Dump(Part.LEFT_OUT, "held by processes that run")

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    holder: Mapped[str] = mapped_column(String(100))
    """The host and the process, and a random part."""
    until: Mapped[int] = mapped_column(BigInteger)
    """Milliseconds since 1970 by the clock of the database, which all hosts share."""
