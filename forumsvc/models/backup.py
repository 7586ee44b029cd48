"""The last backup: one row at most. A dump does not have it, so a restored database has none."""

from sqlalchemy import CheckConstraint, Text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, Timestamp
from .declarations import Dump, Part


class LastBackup(Base):
    """The last backup of this database that was whole and verified."""

    __tablename__ = "last_backup"
    __dump__ = Dump(Part.LEFT_OUT, "of this database; a loaded one has none yet")

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    made_at: Mapped[Timestamp]
    """The moment of its rows."""
    file: Mapped[str] = mapped_column(Text)

    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)
