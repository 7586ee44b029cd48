"""Loads nodes."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select

from ..db.execution import ReadConnection, row, rows
from ..models import Node, Section
from ..search.normal_form import normalize
from ..text.ids import parse_id
from .rows import NodeRow, columns

_ALL_NODES: Any = (
    select(*columns(Node, NodeRow), Section.name.label("section_name"))
    .outerjoin(Section, Section.id == Node.section_id)
    .order_by(Node.sort.desc(), Node.id)
)


def all_nodes(db: ReadConnection) -> Sequence[NodeRow]:
    """Return all nodes, the highest `sort` first."""
    return rows(db, _ALL_NODES, {})


_BY_ID: Any = _ALL_NODES.where(Node.id == bindparam("id"))


def by_id(db: ReadConnection, node_id: int) -> NodeRow | None:
    return row(db, _BY_ID, {"id": node_id})


_BY_IDS: Any = _ALL_NODES.where(Node.id.in_(bindparam("ids", expanding=True)))


def by_ids(db: ReadConnection, ids: Sequence[int]) -> dict[int, NodeRow]:
    """Return the nodes with these ids, by id."""
    return {item.id: item for item in rows(db, _BY_IDS, {"ids": ids})} if ids else {}


_EXISTS: Any = select(Node.id).where(Node.id == bindparam("id"))


def exists(db: ReadConnection, node_id: int) -> bool:
    """Return whether there is a node with this id."""
    return row(db, _EXISTS, {"id": node_id}) is not None


_NAMES: Any = select(Node.id, Node.name).order_by(Node.id)


def id_of(db: ReadConnection, text: str) -> int | None:
    """Return the id of the node with this id or, ignoring case, this name; None without one."""
    node_id = parse_id(text)
    if node_id is not None and exists(db, node_id):
        return node_id
    result = rows(db, _NAMES, {})
    exact = [node.id for node in result if node.name == text]
    similar = [node.id for node in result if normalize(node.name) == normalize(text)]
    return next(iter([*exact, *similar]), None)
