"""The deployment: which service and which place this database belongs to, one row at most."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, UtcDateTime
from .declarations import Dump, Part


class Deployment(Base):
    """Who may send what waits; `services.deployment` has the rules."""

    __tablename__ = "deployment"
    __dump__ = Dump(Part.LEFT_OUT, "the place of this database; a restore marks a copy")

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    host: Mapped[str] = mapped_column(Text)
    """The host name in `site.url`, empty without one."""
    place: Mapped[str] = mapped_column(Text)
    """Where the database is: a copy is elsewhere."""
    copied_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When it was restored as a copy, which nobody has made the real one."""

    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)
