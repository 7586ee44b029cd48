"""The forms of statement that every writer uses, the same on both databases."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Delete,
    Insert,
    Select,
    Update,
    delete,
    inspect,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from .marking import UNMARKED
from .meta import Base
from .user import User


def change(model: type[Base]) -> Update:
    """Return an UPDATE of a mapped class; the session holds no objects that it could make stale."""
    return update(model).execution_options(synchronize_session=False)


def change_unmarked(model: type[Base]) -> Update:
    """Return an UPDATE as `change` does, of columns that no shared page shows (see `marking`)."""
    return change(model).execution_options(**UNMARKED)


def remove(model: type[Base]) -> Delete:
    """Return a DELETE of a mapped class; the session holds no objects that it could make stale."""
    return delete(model).execution_options(synchronize_session=False)


def prepared(statement: Any) -> Any:
    """Return an INSERT or UPDATE of a mapped class that is built once and run with parameters.

    SQLAlchemy would otherwise take the parameters for column values, or for keys.
    """
    strategy = "raw" if isinstance(statement, Insert) else "core_only"
    return statement.execution_options(dml_strategy=strategy, synchronize_session=False)


def insert_if_absent(
    db: Session, model: type[Base], *, rows: Sequence[dict[str, Any]] | None = None, **values: Any
) -> int:
    """Insert the given row (or rows), leaving out what a unique key refuses.

    Returns how many rows were really inserted: concurrent doubles see 1 and 0, never an error.
    """
    dialect = db.get_bind().dialect.name
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement = insert(model).values(list(rows) if rows is not None else values)
    key = inspect(model).primary_key[0]
    done = db.execute(statement.on_conflict_do_nothing().returning(key))
    return len(done.all())


def locking(statement: Select[Any], *tables: type[Base]) -> Select[Any]:
    """Return the SELECT so that it locks the rows of `tables` until the transaction ends.

    Weak enough to let others refer to the rows by foreign key. SQLite has no row locks and needs
    none: an unsafe request holds its write lock from the beginning.
    """
    return statement.with_for_update(of=tables, key_share=True)


def lock_users(db: Session, condition: ColumnElement[bool], **values: Any) -> None:
    """Lock the users that meet `condition` in the order of their ids, so that none wait in a ring.

    values: of the parameters that the condition leaves open.

    Whoever changes counters of several users, or a user's notifications, comes through here first.
    """
    if db.get_bind().dialect.name == "postgresql":
        db.execute(locking_users(condition), values).all()


def locking_users(condition: ColumnElement[bool]) -> Select[Any]:
    """Return the SELECT that locks the users who meet `condition`, in the order of their ids."""
    return locking(select(User.id).where(condition).order_by(User.id), User)
