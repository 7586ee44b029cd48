"""Changes the cache versions in every transaction that changes something which cached pages show.

No writer has to remember it: the session sees each statement, and changes the versions with the
last statement of the transaction. If that came earlier, a reader could cache old content under the
new version, and other writers would wait for the slot until the transaction ends.
"""

import secrets
from functools import cache
from typing import Any

from sqlalchemy import Connection, Insert, Update, bindparam, event
from sqlalchemy.orm import ORMExecuteState, Session

from ..db.base import Base
from ..db.engine import Database
from ..db.executor import EXECUTOR
from ..db.statements import insert_of, update_of
from ..models.access_block import AccessBlock
from ..models.cache_version import CacheVersion, random_version
from ..models.node import Node, Section
from ..models.site_text import SiteText
from ..models.topic import Topic
from ..models.user import User

TOPIC_LISTS, DISPLAY_NAMES, ACCESS = "lists", "names", "access"
"""The kinds of cache version, by their columns in `CacheVersion`."""

INVALIDATES: dict[type[Base], str] = {
    Topic: TOPIC_LISTS,
    Node: DISPLAY_NAMES,
    Section: DISPLAY_NAMES,
    User: DISPLAY_NAMES,
    AccessBlock: ACCESS,
    SiteText: ACCESS,
}
"""The version that a change of a table's rows changes. Replies have the version of their topic."""

CACHED_COLUMNS: dict[type[Base], frozenset[str]] = {
    User: frozenset({"login", "name", "avatar", "role"}),
}
"""The columns that cached pages show, of tables where these are not all columns."""

CACHED_OF_STAFF = frozenset({"state", "blocked_until"})
"""Columns of users that cached pages show of maintainers and admins alone.

`restrictions` invalidates where it changes them of these: many others are silenced in an attack.
"""

NO_INVALIDATION = {"no_invalidation": True}
"""The execution option of a statement that changes nothing that a cached page shows."""

_SLOTS = 8
_OWN_SLOT = _SLOTS
_INVALIDATED = "invalidated cache versions"
_SLOT = "slot of cache versions"


def install(database: Database) -> None:
    """Change the versions at the end of each transaction in which a session invalidates any."""
    database.executor.write_listeners.append(invalidate_for)
    event.listen(database.session, "do_orm_execute", _on_orm_execute)
    event.listen(database.session, "before_commit", _bump_invalidated)


def invalidate(db: Session, version: str) -> None:
    """Change a version (TOPIC_LISTS or DISPLAY_NAMES) at the end of the transaction."""
    db.info.setdefault(_INVALIDATED, set()).add(version)


def update_without_invalidation(model: type[Base]) -> Update:
    """Return an UPDATE of columns that no cached page shows; all cached pages stay valid."""
    return update_of(model).execution_options(**NO_INVALIDATION)


def update_columns(model: type[Base], **values: Any) -> Update:
    """Return an UPDATE of these columns, which invalidates where cached pages show any of them."""
    cached = CACHED_COLUMNS.get(model)
    is_shown = cached is None or not cached.isdisjoint(values)
    return (update_of if is_shown else update_without_invalidation)(model).values(**values)


def invalidate_for(db: Session, statement: Any) -> None:
    """Invalidate what an INSERT, UPDATE or DELETE of a mapped class changes in cached pages."""
    version = _invalidated_by(statement)
    if version is not None:
        invalidate(db, version)


def use_own_slot(db: Session) -> None:
    """Give a long transaction a slot of its own, for its snapshot of the others is out of date."""
    db.info[_SLOT] = _OWN_SLOT


def bump(db: Connection, versions: set[str], slot: int | None = None) -> None:
    """Change versions in a slot, by default in a random one; only the commit may follow."""
    db.execute(_bump_statement(db.dialect.name, frozenset(versions)), _new_versions(versions, slot))


def _new_versions(invalidated: set[str], slot: int | None) -> dict[str, int]:
    # A new slot must not look like a change of the others.
    versions = {
        name: random_version() if name in invalidated else 0
        for name in (TOPIC_LISTS, DISPLAY_NAMES, ACCESS)
    }
    return {"slot": secrets.randbelow(_SLOTS) if slot is None else slot, **versions}


def _on_orm_execute(state: ORMExecuteState) -> None:
    if not state.is_select and state.bind_mapper is not None:
        invalidate_for(state.session, state.statement)


def _invalidated_by(statement: Any) -> str | None:
    model = statement.entity_description["entity"]
    # No page shows a user before that user has written something.
    is_new_user = isinstance(statement, Insert) and model is User
    is_excepted = "no_invalidation" in statement.get_execution_options()
    return None if is_new_user or is_excepted else INVALIDATES.get(model)


def _bump_invalidated(db: Session) -> None:
    if db.in_nested_transaction():
        return  # a rollback to the savepoint would undo this, too
    invalidated = db.info.pop(_INVALIDATED, None)
    if invalidated:
        executor = db.info[EXECUTOR]
        statement = _bump_statement(executor.dialect.name, frozenset(invalidated))
        executor.rows_in(db, statement, _new_versions(invalidated, db.info.get(_SLOT)))


@cache
def _bump_statement(dialect: str, versions: frozenset[str]) -> Any:
    statement = insert_of(CacheVersion, dialect).values(
        {name: bindparam(name) for name in ("slot", TOPIC_LISTS, DISPLAY_NAMES, ACCESS)}
    )
    changed = {version: statement.excluded[version] for version in versions}
    return statement.on_conflict_do_update(index_elements=[CacheVersion.slot], set_=changed)
