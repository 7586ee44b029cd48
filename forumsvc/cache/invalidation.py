"""Whoever changes what pages show renews the marks by which pages are known to be true.

No writer does so by hand, so none can forget: the session sees each statement, and renews the marks
as the transaction's last statement. Earlier, a reader could keep old content under the new mark,
and others would wait for the slot as long as the transaction lasts.
"""

import secrets
from functools import cache
from typing import Any

from sqlalchemy import Connection, Insert, Update, bindparam, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import ORMExecuteState, Session

from ..db.base import Base
from ..db.engine import Database
from ..db.executor import EXECUTOR
from ..db.statements import update_of
from ..models.cache_version import ChangeMark, fresh_mark
from ..models.node import Node, Section
from ..models.topic import Topic
from ..models.user import User

LISTS, NAMES = "lists", "names"
MARKED_BY: dict[type[Base], str] = {Topic: LISTS, Node: NAMES, Section: NAMES, User: NAMES}
"""Which mark a change of a table's rows renews. The replies' is the version of their topic."""

CACHED_COLUMNS: dict[type[Base], frozenset[str]] = {
    User: frozenset({"login", "name", "avatar"}),
}
"""Of these tables, the columns that cached pages show; of all others, every column is."""

UNMARKED = {"unmarked": True}
"""The execution option of a statement that changes nothing that a shared page shows."""

_SLOTS = 8
_LONG_SLOT = _SLOTS
_NOTED = "changed marks"
_SLOT = "slot of marks"


def watch(database: Database) -> None:
    """Renew the marks at the end of every transaction of its sessions that changes something."""
    database.executor.write_listeners.append(note_change)
    event.listen(database.session, "do_orm_execute", _note_change)
    event.listen(database.session, "before_commit", _renew_noted)


def note(db: Session, mark: str) -> None:
    """Renew a mark at the end of the transaction."""
    db.info.setdefault(_NOTED, set()).add(mark)


def change_unmarked(model: type[Base]) -> Update:
    """Return an UPDATE as `change` does, of columns that no shared page shows (see `marking`)."""
    return update_of(model).execution_options(**UNMARKED)


def change_columns(model: type[Base], **values: Any) -> Update:
    """Return an UPDATE of these columns; cached pages end only where they show one of them."""
    cached = CACHED_COLUMNS.get(model)
    is_shown = cached is None or not cached.isdisjoint(values)
    return (update_of if is_shown else change_unmarked)(model).values(**values)


def note_change(db: Session, statement: Any) -> None:
    """Renew at the end of the transaction what an INSERT, UPDATE or DELETE of a class changes."""
    mark = _mark_of(statement)
    if mark is not None:
        note(db, mark)


def expect_long(db: Session) -> None:
    """Use a slot of its own for a transaction whose snapshot is old at its end."""
    db.info[_SLOT] = _LONG_SLOT


def renew(db: Connection, marks: set[str], slot: int | None = None) -> None:
    """Renew marks (LISTS, NAMES) in a slot, or in any; no statement may follow but the commit."""
    db.execute(_renewal(db.dialect.name, frozenset(marks)), _renewed(slot))


def _renewed(slot: int | None) -> dict[str, int]:
    in_slot = secrets.randbelow(_SLOTS) if slot is None else slot
    return {"slot": in_slot, LISTS: fresh_mark(), NAMES: fresh_mark()}


def _note_change(state: ORMExecuteState) -> None:
    if not state.is_select and state.bind_mapper is not None:
        note_change(state.session, state.statement)


def _mark_of(statement: Any) -> str | None:
    changed = statement.entity_description["entity"]
    # Nothing shows a new user before there is something by that user.
    is_new_user = isinstance(statement, Insert) and changed is User
    is_unmarked = "unmarked" in statement.get_execution_options()
    return None if is_new_user or is_unmarked else MARKED_BY.get(changed)


def _renew_noted(db: Session) -> None:
    if db.in_nested_transaction():
        return  # what a savepoint did may yet be undone, and the renewal with it
    noted = db.info.pop(_NOTED, None)
    if noted:
        executor = db.info[EXECUTOR]
        statement = _renewal(executor.dialect.name, frozenset(noted))
        executor.rows_in(db, statement, _renewed(db.info.get(_SLOT)))


@cache
def _renewal(dialect: str, marks: frozenset[str]) -> Any:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement = insert(ChangeMark).values(
        {name: bindparam(name) for name in ("slot", LISTS, NAMES)}
    )
    renewed = {mark: statement.excluded[mark] for mark in marks}
    return statement.on_conflict_do_update(index_elements=[ChangeMark.slot], set_=renewed)
