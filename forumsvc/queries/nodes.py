"""Loads nodes and sections."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select

from ..db.execution import ReadConnection, row, rows
from ..db.statements import with_row_locks
from ..models import Node, NodeMute, Section, Topic
from ..search.normal_form import normalize
from ..text.ids import parse_id
from .rows import NodeRow, SectionRow, columns

_ALL_NODES: Any = (
    select(
        *columns(Node, NodeRow),
        Section.name.label("section_name"),
        Section.sort.label("section_sort"),
    )
    .outerjoin(Section, Section.id == Node.section_id)
    .order_by(Node.sort.desc(), Node.id)
)


def all_nodes(db: ReadConnection) -> Sequence[NodeRow]:
    """Return all nodes, the highest `sort` first."""
    return rows(db, _ALL_NODES, {})


def by_section(nodes: Sequence[NodeRow]) -> list[NodeRow]:
    """Return nodes as pages list them: those without a section, then section after section."""

    def key(node: NodeRow) -> tuple[bool, int, int]:
        return node.section_id is not None, -(node.section_sort or 0), node.section_id or 0

    return sorted(nodes, key=key)


_BY_ID: Any = _ALL_NODES.where(Node.id == bindparam("id"))
_LOCKED_BY_ID = with_row_locks(_BY_ID, Node)


def by_id(db: ReadConnection, node_id: int, *, lock: bool = False) -> NodeRow | None:
    """Return a node, or None. lock: lock it until the transaction ends."""
    return row(db, _LOCKED_BY_ID if lock else _BY_ID, {"id": node_id})


_BY_IDS: Any = _ALL_NODES.where(Node.id.in_(bindparam("ids", expanding=True)))


def by_ids(db: ReadConnection, ids: Sequence[int]) -> dict[int, NodeRow]:
    """Return the nodes with these ids, by id."""
    return {item.id: item for item in rows(db, _BY_IDS, {"ids": ids})} if ids else {}


_OF_MUTER = NodeMute.user_id == bindparam("user_id")
_MUTED_BY: Any = _ALL_NODES.join(NodeMute, NodeMute.node_id == Node.id).where(_OF_MUTER)


def muted_by(db: ReadConnection, user_id: int) -> Sequence[NodeRow]:
    """Return the nodes that a user mutes, in the order of `all_nodes`."""
    return rows(db, _MUTED_BY, {"user_id": user_id})


_IS_MUTED: Any = select(NodeMute.id).where(_OF_MUTER, NodeMute.node_id == bindparam("node_id"))


def is_muted(db: ReadConnection, user_id: int, node_id: int) -> bool:
    """Return whether a user mutes a node."""
    return row(db, _IS_MUTED, {"user_id": user_id, "node_id": node_id}) is not None


_ALL_SECTIONS: Any = select(*columns(Section, SectionRow)).order_by(Section.sort.desc(), Section.id)


def all_sections(db: ReadConnection) -> Sequence[SectionRow]:
    """Return all sections, those without nodes, too; the highest `sort` first."""
    return rows(db, _ALL_SECTIONS, {})


_SECTION: Any = select(*columns(Section, SectionRow)).where(Section.id == bindparam("id"))
_LOCKED_SECTION = with_row_locks(_SECTION, Section)


def section_by_id(db: ReadConnection, section_id: int, *, lock: bool = False) -> SectionRow | None:
    """Return a section, or None. lock: lock it until the transaction ends."""
    return row(db, _LOCKED_SECTION if lock else _SECTION, {"id": section_id})


_EXISTS: Any = select(Node.id).where(Node.id == bindparam("id"))
_REMAINS = _EXISTS.with_for_update(read=True, key_share=True)


def exists(db: ReadConnection, node_id: int, *, lock: bool = False) -> bool:
    """Return whether there is a node with this id. lock: it stays until the transaction ends."""
    return row(db, _REMAINS if lock else _EXISTS, {"id": node_id}) is not None


_WITH_TOPICS: Any = select(Topic.id).where(Topic.node_id == bindparam("id")).limit(1)


def holds_topics(db: ReadConnection, node_id: int) -> bool:
    """Return whether topics are in a node, hidden and deleted ones, too."""
    return row(db, _WITH_TOPICS, {"id": node_id}) is not None


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
