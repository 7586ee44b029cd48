"""Texts that people have begun and not sent."""

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, PrimaryKey, Timestamp
from .declarations import DELETE, Dump, Export, Part, by_column


class Draft(Base):
    """A text of one user, whom alone it is shown to."""

    __tablename__ = "drafts"
    __dump__ = Dump(Part.SECRET, "what people have not shown to anybody yet")
    __erasure__ = by_column(user_id=DELETE)
    __export__ = Export(
        "drafts",
        "what you have begun and not sent",
        "草稿",
        "key title body node_id created_at updated_at",
    )

    id: Mapped[PrimaryKey]
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("users.id"))
    key: Mapped[str] = mapped_column(String(64))
    """By which the client finds it again."""
    title: Mapped[str] = mapped_column(Text)
    body: Mapped[str] = mapped_column(Text)
    """Markdown."""
    node_id: Mapped[int | None] = mapped_column(BigId)
    """No foreign key: an empty node can be deleted meanwhile."""
    form: Mapped[str | None] = mapped_column(String(16))
    """Which form of a page saved it last; NULL if another client did."""
    created_at: Mapped[Timestamp]
    updated_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("user_id", "key"),
        Index("ix_drafts_user_id_updated_at_id", "user_id", "updated_at", "id"),
        Index("ix_drafts_updated_at", "updated_at"),
        {"sqlite_autoincrement": True},
    )
