"""The last backup: one row at most. A dump does not have it, so a restored database has none."""

from sqlalchemy import CheckConstraint, Text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, Timestamp


class LastBackup(Base):
    """The last backup of this database that was whole and verified."""

    __tablename__ = "last_backup"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    made_at: Mapped[Timestamp]
    """The moment of its rows."""
    file: Mapped[str] = mapped_column(Text)

    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)
