"""Nodes, the categories of topics."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...db.statements import delete_of, insert_row, update_of, with_row_locks
from ...errors import Invalid, NotFound
from ...models import AdminAction, EventType, Node, NodeMute, Notification, ReadCutoff, Topic
from ...queries import nodes as queries
from ...text.ids import MAX_ID
from ...text.messages import Message
from .. import events
from ..moderation import actions
from ..moderation.actions import Action
from . import reading, sections
from .short_texts import validate_lines

MAX_SUMMARY = 65_536


def create(
    db: Session,
    actor_id: int | None,
    now: datetime,
    name: str,
    *,
    summary: str = "",
    section_id: int | None = None,
    sort: int = 0,
    hidden_in_lists: bool = False,
) -> int:
    """Create a node and return its id.

    actor_id: the administrator, None at the command line; summary: Markdown; sort: its weight in
    lists, the largest first; hidden_in_lists: whether the forum's lists leave out its topics.
    Raises Invalid for a text, section or number that is not valid, and if the name exists.
    """
    name = sections.check_name("name", name)
    values: dict[str, Any] = {
        "name": name,
        "summary": summary,
        "section_id": section_id,
        "sort": sort,
        "hidden_in_lists": hidden_in_lists,
    }
    _check(db, values)
    sections.check_free(db, Node, name)
    insert_row(db, Node, **values, created_at=now, updated_at=now)
    node_id = db.scalars(select(Node.id).where(Node.name == name)).one()
    _log(db, AdminAction.NODE_CREATED, actor_id, now, node_id, name=name)
    return node_id


def edit(
    db: Session, actor_id: int | None, now: datetime, node_id: int, values: Mapping[str, Any]
) -> str:
    """Change a node and return its name.

    values: what changes, by column, as in `create`; a `section_id` of None takes the node out of
    its section. Raises as `create` does, and NotFound.
    """
    row = _locked(db, [node_id])[node_id]
    new = dict(values)
    _check(db, new)
    details = sections.changes(row, new)
    if details is None:
        return str(row.name)
    name = str(new.get("name", row.name))
    if "name" in new:
        sections.check_free(db, Node, name, node_id)
    db.execute(update_of(Node).where(Node.id == node_id).values(**new, updated_at=now))
    _log(db, AdminAction.NODE_UPDATED, actor_id, now, node_id, name=name, **details)
    return name


def delete(
    db: Session, actor_id: int | None, now: datetime, node_id: int, *, move_to: int | None = None
) -> int:
    """Delete a node and return how many topics were moved, including hidden ones.

    move_to: the node that gets its topics, and the notifications of topics moved into it.
    Raises NotFound if the node does not exist, Invalid if it has topics and no `move_to` is given,
    or that is no other node, or if somebody would wait too long (`MAX_MOVED`).
    """
    _rows(db, [node_id])
    if move_to is None:
        name, moved = _locked(db, [node_id])[node_id].name, 0
        if queries.holds_topics(db, node_id):
            raise Invalid(
                "move_to",
                Message(
                    "is required: the node '%(name)s' holds topics, perhaps hidden or deleted ones",
                    name=name,
                ),
            )
    else:
        name = _lock_with_topics(db, node_id, move_to, MAX_MOVED if actor_id is not None else None)
        reading.keep_places(db, node_id, move_to)
        moved = _move_topics(db, actor_id, now, node_id, move_to)
        visible = select(Node.topics_count).where(Node.id == node_id).scalar_subquery()
        grow = update_of(Node).where(Node.id == move_to)
        db.execute(grow.values(topics_count=Node.topics_count + visible))
    _redirect_notifications(db, node_id, move_to)
    db.execute(delete_of(NodeMute).where(NodeMute.node_id == node_id))
    db.execute(delete_of(ReadCutoff).where(ReadCutoff.node_id == node_id))
    db.execute(delete_of(Node).where(Node.id == node_id))
    details = {"name": name, "move_to": move_to, "moved_topics": moved}
    _log(db, AdminAction.NODE_DELETED, actor_id, now, node_id, **details)
    return moved


MAX_MOVED = 2_000
"""So many topics a request moves; the command moves all, as nobody waits for it."""


def _lock_with_topics(db: Session, node_id: int, move_to: int, most: int | None) -> str:
    """Lock a node, its topics and the node that gets them; return the name of the first.

    most: how many topics there may be, None: any number. Raises NotFound, Invalid.
    """
    if not _is_another(db, node_id, move_to):
        raise Invalid("move_to", _NO_OTHER)
    # Topics are locked before nodes, as everywhere; then those that were added meanwhile.
    count = _lock_topics(db, node_id)
    if most is not None and count > most:
        reason = Message(
            "is refused: the node has more than %(num)d topics, which only the command"
            " `forumsvc node delete` moves",
            num=most,
        )
        raise Invalid("move_to", reason)
    try:
        name = _locked(db, [node_id, move_to])[node_id].name
    except NotFound:
        _rows(db, [node_id])
        raise Invalid("move_to", _NO_OTHER) from None
    _lock_topics(db, node_id)
    return str(name)


_NO_OTHER = Message("must be another node")


def _is_another(db: Session, node_id: int, other_id: int) -> bool:
    return other_id != node_id and 0 < other_id <= MAX_ID and queries.exists(db, other_id)


def _check(db: Session, values: dict[str, Any]) -> None:
    """Bring values of a node, by column, into the form that is stored. Raises Invalid."""
    if "name" in values:
        values["name"] = sections.check_name("name", values["name"])
    if "summary" in values:
        values["summary"] = validate_lines("summary", values["summary"], MAX_SUMMARY)
    if "sort" in values:
        sections.check_sort(values["sort"])
    sections.check(db, values.get("section_id"))


def _log(
    db: Session,
    action: AdminAction,
    actor_id: int | None,
    now: datetime,
    node_id: int,
    **details: Any,
) -> None:
    actions.record(db, Action(action, actor_id, now, node_id=node_id, details=details))


def _lock_topics(db: Session, node_id: int) -> int:
    """Lock the topics of a node, and return how many they are."""
    in_order = select(Topic.id).where(Topic.node_id == node_id).order_by(Topic.id)
    return len(db.execute(with_row_locks(in_order, Topic)).all())


def _move_topics(db: Session, actor_id: int | None, now: datetime, source: int, target: int) -> int:
    data = {"from_node_id": source}
    move = update_of(Topic).where(Topic.node_id == source)
    moved = move.values(node_id=target, updated_at=now).returning(Topic.id)
    topic_ids = sorted(db.scalars(moved))
    for topic_id in topic_ids:
        ids = {"topic_id": topic_id, "node_id": target}
        events.record(db, EventType.TOPIC_MOVED, now, actor_id=actor_id, data=data, **ids)
    return len(topic_ids)


def _redirect_notifications(db: Session, node_id: int, move_to: int | None) -> None:
    """Point notifications of moves into the node at the node that its topics are moved to."""
    # Without `move_to` the topics have been moved on before, each to another node.
    present_node = select(Topic.node_id).where(Topic.id == Notification.topic_id).scalar_subquery()
    statement = update_of(Notification).where(Notification.node_id == node_id)
    db.execute(statement.values(node_id=present_node if move_to is None else move_to))


_COLUMNS = (Node.id, Node.name, Node.summary, Node.section_id, Node.sort, Node.hidden_in_lists)


def _rows(db: Session, ids: Sequence[int], *, lock: bool = False) -> dict[int, Any]:
    """Return rows of nodes by id. Raises NotFound if one does not exist."""
    known = [node_id for node_id in ids if 0 < node_id <= MAX_ID]
    # In the order of the ids, so that two transactions that lock the same nodes do not deadlock.
    statement = select(*_COLUMNS).where(Node.id.in_(known)).order_by(Node.id)
    result = {row.id: row for row in db.execute(statement.with_for_update() if lock else statement)}
    for node_id in ids:
        if node_id not in result:
            raise NotFound(f"There is no node {node_id}.")
    return result


def _locked(db: Session, ids: Sequence[int]) -> dict[int, Any]:
    """Return rows of nodes by id, locked against changes and new topics. Raises NotFound."""
    return _rows(db, ids, lock=True)
