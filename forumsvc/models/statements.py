"""The forms of statement that every writer uses, the same on both databases."""

from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Delete,
    Insert,
    Select,
    Update,
    bindparam,
    delete,
    inspect,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from .gateway import GATEWAY
from .marking import CACHED_COLUMNS, UNMARKED, note_change
from .meta import Base
from .plan import Change, Values
from .user import User


def change(model: type[Base]) -> Update:
    """Return an UPDATE of a mapped class; the session holds no objects that it could make stale."""
    return update(model).execution_options(synchronize_session=False)


def change_unmarked(model: type[Base]) -> Update:
    """Return an UPDATE as `change` does, of columns that no shared page shows (see `marking`)."""
    return change(model).execution_options(**UNMARKED)


def change_columns(model: type[Base], **values: Any) -> Update:
    """Return an UPDATE of these columns; cached pages end only where they show one of them."""
    cached = CACHED_COLUMNS.get(model)
    is_shown = cached is None or not cached.isdisjoint(values)
    return (change if is_shown else change_unmarked)(model).values(**values)


def remove(model: type[Base]) -> Delete:
    """Return a DELETE of a mapped class; the session holds no objects that it could make stale."""
    return delete(model).execution_options(synchronize_session=False)


def run(db: Session, statement: Change, values: Values) -> list[Any]:
    """Run a change of a mapped class that is built once, and return the rows that it returns.

    It is compiled once too: for what many requests do. Marks are renewed as for any other change.
    """
    note_change(db, statement)
    rows: list[Any] = db.info[GATEWAY].rows_in(db, statement, values)
    return rows


def insert_if_absent(db: Session, model: type[Base], **values: Any) -> int:
    """Insert a row unless a unique key refuses it; return how many were inserted: 1 or 0.

    Of concurrent doubles one sees 1, the others 0, and none an error.
    """
    dialect = db.get_bind().dialect.name
    return len(run(db, _insertion(model, dialect, tuple(values)), values))


@cache
def _insertion(model: type[Base], dialect: str, names: tuple[str, ...]) -> Insert:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement = insert(model).values({name: bindparam(name) for name in names})
    return statement.on_conflict_do_nothing().returning(inspect(model).primary_key[0])


def remove_pair(db: Session, model: type[Base], **values: Any) -> int:
    """Delete the row of a relation between two, and return how many there were: 1 or 0."""
    return len(run(db, _removal(model, tuple(values)), values))


@cache
def _removal(model: type[Base], names: tuple[str, ...]) -> Any:
    same = [getattr(model, name) == bindparam(name) for name in names]
    return remove(model).where(*same).returning(inspect(model).primary_key[0])


class last_id(FunctionElement[int]):  # noqa: N801 - as SQLAlchemy names functions
    """The id of the row that this connection has last inserted into a table.

    Of that table alone: a trigger (an audit's, say) may insert into others, and draw from their
    sequences. A SELECT of its own: for a function that may return another value each time, the
    database would look at every row.
    """

    name = "last_id"
    inherit_cache = True

    def __init__(self, model: type[Base]) -> None:
        """Take the table of a model whose `id` the database numbers."""
        self.type = BigInteger()
        super().__init__(literal_column(f"'{model.__tablename__}_id_seq'"))


@compiles(last_id, "postgresql")
def _current_value(element: last_id, compiler: SQLCompiler, **keywords: Any) -> str:
    return f"(SELECT currval({compiler.process(element.clauses, **keywords)}))"


@compiles(last_id, "sqlite")
def _last_rowid(element: last_id, compiler: SQLCompiler, **keywords: Any) -> str:
    # What a trigger inserts does not count: its end puts the former value back.
    return "(SELECT last_insert_rowid())"


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
