"""Reading nodes."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Row, Select, bindparam, select

from ..db.execution import ReadConnection, row, rows
from ..models import Node, Section

_COLUMNS: tuple[Any, ...] = (
    Node.id,
    Node.name,
    Node.summary,
    Node.section_id,
    Section.name.label("section_name"),
    Node.topics_count,
    Node.sort,
    Node.updated_at,
)


@cache
def _all() -> Select[Any]:
    return (
        select(*_COLUMNS)
        .outerjoin(Section, Section.id == Node.section_id)
        .order_by(Node.sort.desc(), Node.id)
    )


def everything(db: ReadConnection) -> Sequence[Row[Any]]:
    """Return all nodes, the highest `sort` first."""
    return rows(db, _all(), {})


@cache
def _one() -> Select[Any]:
    return _all().where(Node.id == bindparam("id"))


def one(db: ReadConnection, node_id: int) -> Row[Any] | None:
    """Return a node, or None."""
    return row(db, _one(), {"id": node_id})


@cache
def _some() -> Select[Any]:
    return _all().where(Node.id.in_(bindparam("ids", expanding=True)))


def some(db: ReadConnection, ids: Sequence[int]) -> dict[int, Row[Any]]:
    """Return the nodes with these ids, by id."""
    return {found.id: found for found in rows(db, _some(), {"ids": ids})} if ids else {}


@cache
def _exists() -> Select[Any]:
    return select(Node.id).where(Node.id == bindparam("id"))


def exists(db: ReadConnection, node_id: int) -> bool:
    """Return whether there is such a node."""
    return row(db, _exists(), {"id": node_id}) is not None
