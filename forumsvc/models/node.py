"""Nodes, the categories of topics, and sections, the groups of nodes."""

from sqlalchemy import Boolean, ForeignKey, Index, Integer, String, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import (
    Base,
    BigId,
    Counter,
    EmptyText,
    PrimaryKey,
    Timestamp,
    not_negative,
    partial_index,
)
from .declarations import CONTENT


class Section(Base):
    """A group of nodes."""

    __tablename__ = "sections"
    __dump__ = CONTENT

    id: Mapped[PrimaryKey]
    name: Mapped[str] = mapped_column(String(100))
    sort: Mapped[int] = mapped_column(Integer, default=0, server_default="0")

    __table_args__ = (UniqueConstraint("name"), {"sqlite_autoincrement": True})


class Node(Base):
    """A category of topics.

    hidden_in_lists: whether the forum's lists leave out its topics; its own list shows them.
    """

    __tablename__ = "nodes"
    __dump__ = CONTENT

    id: Mapped[PrimaryKey]
    name: Mapped[str] = mapped_column(String(100))
    summary: Mapped[EmptyText]
    section_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("sections.id"))
    sort: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    topics_count: Mapped[Counter]
    hidden_in_lists: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    created_at: Mapped[Timestamp]
    updated_at: Mapped[Timestamp]

    __table_args__ = (
        UniqueConstraint("name"),
        *not_negative("topics_count"),
        Index("ix_nodes_section_id", "section_id"),
        Index("ix_nodes_sort_id", "sort", "id"),
        partial_index("ix_nodes_hidden", "id", only="hidden_in_lists"),
        {"sqlite_autoincrement": True},
    )
