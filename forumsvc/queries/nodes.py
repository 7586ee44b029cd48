"""Loads nodes."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, select

from ..db.execution import ReadConnection, row, rows
from ..ids import parse_id
from ..models import Node, Section
from ..search.normal_form import normalize
from .rows import NodeRow

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
def _all_nodes() -> Select[Any]:
    return (
        select(*_COLUMNS)
        .outerjoin(Section, Section.id == Node.section_id)
        .order_by(Node.sort.desc(), Node.id)
    )


def all_nodes(db: ReadConnection) -> Sequence[NodeRow]:
    """Return all nodes, the highest `sort` first."""
    return rows(db, _all_nodes(), {})


@cache
def _by_id() -> Select[Any]:
    return _all_nodes().where(Node.id == bindparam("id"))


def by_id(db: ReadConnection, node_id: int) -> NodeRow | None:
    """Return a node, or None."""
    return row(db, _by_id(), {"id": node_id})


@cache
def _by_ids() -> Select[Any]:
    return _all_nodes().where(Node.id.in_(bindparam("ids", expanding=True)))


def by_ids(db: ReadConnection, ids: Sequence[int]) -> dict[int, NodeRow]:
    """Return the nodes with these ids, by id."""
    return {found.id: found for found in rows(db, _by_ids(), {"ids": ids})} if ids else {}


@cache
def _exists() -> Select[Any]:
    return select(Node.id).where(Node.id == bindparam("id"))


def exists(db: ReadConnection, node_id: int) -> bool:
    """Return whether there is such a node."""
    return row(db, _exists(), {"id": node_id}) is not None


@cache
def _names() -> Select[Any]:
    columns: list[Any] = [Node.id, Node.name]
    return select(*columns).order_by(Node.id)


def id_of(db: ReadConnection, text: str) -> int | None:
    """Return the id of the node with this id or, ignoring case, this name; None without one."""
    node_id = parse_id(text)
    if node_id is not None and exists(db, node_id):
        return node_id
    found = rows(db, _names(), {})
    exact = [node.id for node in found if node.name == text]
    similar = [node.id for node in found if normalize(node.name) == normalize(text)]
    return next(iter([*exact, *similar]), None)
