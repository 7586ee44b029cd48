"""Whoever changes what pages show renews the marks by which pages are known to be true.

No writer does so by hand, so none can forget: the session sees each statement, and renews the marks
as the transaction's last statement. Earlier, a reader could keep old content under the new mark,
and others would wait for the slot as long as the transaction lasts.
"""

import secrets
from functools import cache
from typing import Any

from sqlalchemy import Connection, bindparam, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import ORMExecuteState, Session, sessionmaker

from .change_mark import ChangeMark, fresh_mark
from .meta import Base
from .node import Node, Section
from .topic import Topic
from .user import User

LISTS, NAMES = "lists", "names"
MARKED_BY: dict[type[Base], str] = {Topic: LISTS, Node: NAMES, Section: NAMES, User: NAMES}
"""Which mark a change of a table's rows renews. The replies' is the version of their topic."""

UNMARKED = {"unmarked": True}
"""The execution option of a statement that changes nothing that a shared page shows."""

_SLOTS = 8
_LONG_SLOT = _SLOTS
_NOTED = "changed marks"
_SLOT = "slot of marks"


def watch(session: sessionmaker[Session]) -> None:
    """Renew the marks at the end of every transaction of these sessions that changes something."""
    event.listen(session, "do_orm_execute", _note_change)
    event.listen(session, "before_commit", _renew_noted)


def note(db: Session, mark: str) -> None:
    """Renew a mark at the end of the transaction."""
    db.info.setdefault(_NOTED, set()).add(mark)


def expect_long(db: Session) -> None:
    """Use a slot of its own for a transaction whose snapshot is old at its end."""
    db.info[_SLOT] = _LONG_SLOT


def renew(db: Connection, marks: set[str], slot: int | None = None) -> None:
    """Renew marks (LISTS, NAMES) in a slot, or in any; no statement may follow but the commit."""
    values = {"slot": secrets.randbelow(_SLOTS) if slot is None else slot}
    values |= {LISTS: fresh_mark(), NAMES: fresh_mark()}
    db.execute(_renewal(db.dialect.name, frozenset(marks)), values)


def _note_change(state: ORMExecuteState) -> None:
    if state.is_select or "unmarked" in state.execution_options or state.bind_mapper is None:
        return
    changed = state.bind_mapper.class_
    mark = MARKED_BY.get(changed)
    # Nothing shows a new user before there is something by that user.
    if mark is not None and not (state.is_insert and changed is User):
        note(state.session, mark)


def _renew_noted(db: Session) -> None:
    if db.in_nested_transaction():
        return  # what a savepoint did may yet be undone, and the renewal with it
    noted = db.info.pop(_NOTED, None)
    if noted:
        renew(db.connection(), noted, db.info.get(_SLOT))


@cache
def _renewal(dialect: str, marks: frozenset[str]) -> Any:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement = insert(ChangeMark).values(
        {name: bindparam(name) for name in ("slot", LISTS, NAMES)}
    )
    renewed = {mark: statement.excluded[mark] for mark in marks}
    return statement.on_conflict_do_update(index_elements=[ChangeMark.slot], set_=renewed)
