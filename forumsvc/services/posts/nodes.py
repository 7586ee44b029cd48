"""Nodes and the sections that group them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from ...clock import now
from ...db.statements import delete_of, insert_or_ignore, update_of, with_row_locks
from ...errors import Conflict, Invalid, NotFound
from ...models import AdminAction, EventType, Node, Notification, Section, Topic
from ...text.ids import MAX_ID
from .. import events
from ..moderation import actions
from ..moderation.actions import Action
from .short_texts import validate_line, validate_lines

MAX_NAME = 100
MAX_SUMMARY = 65_536
MAX_SORT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class NodeName:
    """The id and name of a changed node."""

    id: int
    name: str


def create(
    db: Session, name: str, *, summary: str = "", section: str = "", sort: int = 0
) -> NodeName:
    """Create a node.

    summary: Markdown; section: the name of a section, which is created if it is new; empty for
    none; sort: its weight in lists, the largest first.
    Raises Invalid for a text or number that is not valid, Conflict if the name exists.
    """
    moment = now()
    name = _name("name", name)
    # An INSERT that a unique constraint refuses has used a number of the sequence.
    if db.scalar(select(exists().where(Node.name == name))):
        raise _name_conflict(name)
    values: dict[str, Any] = {
        "name": name,
        "summary": validate_lines("summary", summary, MAX_SUMMARY),
        "sort": _sort(sort),
        "section_id": _section_id(db, section),
    }
    if not insert_or_ignore(db, Node, **values, created_at=moment, updated_at=moment):
        raise _name_conflict(name)
    node_id = db.scalars(select(Node.id).where(Node.name == name)).one()
    _log(db, AdminAction.NODE_CREATED, node_id, name=name)
    return NodeName(node_id, name)


def edit(
    db: Session,
    node_id: int,
    *,
    name: str | None = None,
    summary: str | None = None,
    section: str | None = None,
    sort: int | None = None,
) -> NodeName:
    """Change the given fields of a node; an empty `section` removes it from its section.

    A section without nodes is deleted. Raises as `create` does, and NotFound.
    """
    old_name = _lock(db, node_id)[node_id]
    values: dict[str, Any] = {}
    if name is not None:
        values["name"] = _name("name", name)
        if db.scalar(select(exists().where(Node.name == values["name"], Node.id != node_id))):
            raise _name_conflict(values["name"])
    if summary is not None:
        values["summary"] = validate_lines("summary", summary, MAX_SUMMARY)
    if sort is not None:
        values["sort"] = _sort(sort)
    if section is not None:
        values["section_id"] = _section_id(db, section)
    db.execute(update_of(Node).where(Node.id == node_id).values(**values, updated_at=now()))
    _delete_empty_sections(db)
    new_name = values.get("name", old_name)
    names = {"before": {"name": old_name}, "after": {"name": new_name}}
    _log(db, AdminAction.NODE_UPDATED, node_id, changed=sorted(values), **names)
    return NodeName(node_id, new_name)


def delete(db: Session, node_id: int, *, move_to: int | None = None) -> int:
    """Delete a node and return how many topics were moved, including hidden ones.

    move_to: the node that gets its topics, and the notifications of topics moved into it.
    Raises NotFound if one of the nodes does not exist, Conflict if the node has topics and no
    `move_to` is given, Invalid if `move_to` is the node itself.
    """
    if move_to == node_id:
        raise Invalid("move_to", "must be another node")
    ids = [node_id] if move_to is None else [node_id, move_to]
    _names(db, ids)
    moved = 0
    if move_to is not None:
        # Topics are locked before nodes, as everywhere. Topics that are added before the node is
        # locked are moved below.
        moved = _move_topics(db, node_id, move_to)
    name = _lock(db, *ids)[node_id]
    if move_to is not None:
        moved += _move_topics(db, node_id, move_to)
        visible = select(Node.topics_count).where(Node.id == node_id).scalar_subquery()
        grow = update_of(Node).where(Node.id == move_to)
        db.execute(grow.values(topics_count=Node.topics_count + visible))
    elif db.scalar(select(exists().where(Topic.node_id == node_id))):
        raise Conflict(f"The node {name!r} holds topics; say which node gets them.")
    _redirect_notifications(db, node_id, move_to)
    db.execute(delete_of(Node).where(Node.id == node_id))
    _delete_empty_sections(db)
    _log(db, AdminAction.NODE_DELETED, node_id, name=name, move_to=move_to, moved_topics=moved)
    return moved


def _log(db: Session, action: AdminAction, node_id: int, **details: Any) -> None:
    actions.record(db, Action(action, None, now(), node_id=node_id, details=details))


def _move_topics(db: Session, source: int, target: int) -> int:
    moment, data = now(), {"from_node_id": source}
    in_order = select(Topic.id).where(Topic.node_id == source).order_by(Topic.id)
    db.execute(with_row_locks(in_order, Topic)).all()
    move = update_of(Topic).where(Topic.node_id == source)
    moved = move.values(node_id=target, updated_at=moment).returning(Topic.id)
    topic_ids = sorted(db.scalars(moved))
    for topic_id in topic_ids:
        ids = {"topic_id": topic_id, "node_id": target}
        events.record(db, EventType.TOPIC_MOVED, moment, actor_id=None, data=data, **ids)
    return len(topic_ids)


def _redirect_notifications(db: Session, node_id: int, move_to: int | None) -> None:
    """Point notifications of moves into the node at the node that its topics are moved to."""
    # Without `move_to` the topics have been moved on before, each to another node.
    present_node = select(Topic.node_id).where(Topic.id == Notification.topic_id).scalar_subquery()
    statement = update_of(Notification).where(Notification.node_id == node_id)
    db.execute(statement.values(node_id=present_node if move_to is None else move_to))


def _names(db: Session, ids: Sequence[int], *, lock: bool = False) -> dict[int, str]:
    """Return the names of nodes by id. Raises NotFound if one does not exist."""
    known = [node_id for node_id in ids if 0 < node_id <= MAX_ID]
    # In the order of the ids, so that two transactions that lock the same nodes do not deadlock.
    statement = select(Node.id, Node.name).where(Node.id.in_(known)).order_by(Node.id)
    rows = db.execute(statement.with_for_update() if lock else statement)
    names = {row.id: row.name for row in rows}
    for node_id in ids:
        if node_id not in names:
            raise NotFound(f"There is no node {node_id}.")
    return names


def _lock(db: Session, *ids: int) -> dict[int, str]:
    """Lock nodes against changes and new topics; return their names by id."""
    return _names(db, ids, lock=True)


def _section_id(db: Session, name: str) -> int | None:
    """Return the id of the section with this name, created if it is new; None for no name."""
    if not name.strip():
        return None
    name = _name("section", name)
    by_name = select(Section.id).where(Section.name == name)
    section_id: int | None = db.scalar(by_name)
    if section_id is None:
        insert_or_ignore(db, Section, name=name)
        section_id = db.scalars(by_name).one()
    return section_id


def _delete_empty_sections(db: Session) -> None:
    db.execute(delete_of(Section).where(~exists().where(Node.section_id == Section.id)))


def _name(field: str, text: str) -> str:
    return validate_line(field, text, MAX_NAME, shortest=1)


def _sort(sort: int) -> int:
    if abs(sort) > MAX_SORT:
        raise Invalid("sort", f"must be a whole number from {-MAX_SORT} to {MAX_SORT}")
    return sort


def _name_conflict(name: str) -> Conflict:
    return Conflict(f"There is a node {name!r} already.")
