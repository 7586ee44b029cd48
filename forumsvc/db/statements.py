"""The forms of statement that every writer uses, the same on both databases."""

from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Delete,
    Insert,
    Select,
    Update,
    bindparam,
    delete,
    inspect,
    literal_column,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from .base import Base
from .compiled_statement import DmlStatement, Values
from .executor import EXECUTOR, Executor


def update_of(model: type[Base]) -> Update:
    """Return an UPDATE of a mapped class; the session holds no objects that it could make stale."""
    return update(model).execution_options(synchronize_session=False)


def delete_of(model: type[Base]) -> Delete:
    """Return a DELETE of a mapped class; the session holds no objects that it could make stale."""
    return delete(model).execution_options(synchronize_session=False)


def execute(db: Session, statement: DmlStatement, values: Values) -> list[Any]:
    """Run a change of a mapped class that is built once, and return the rows that it returns.

    It is compiled once too: for what many requests do. The write listeners hear of it.
    """
    executor: Executor = db.info[EXECUTOR]
    for listener in executor.write_listeners:
        listener(db, statement)
    return executor.rows_in(db, statement, values)


def insert_or_ignore(db: Session, model: type[Base], **values: Any) -> int:
    """Insert a row unless a unique key refuses it; return how many were inserted: 1 or 0.

    Of concurrent doubles one sees 1, the others 0, and none an error.
    """
    dialect = db.get_bind().dialect.name
    return len(execute(db, _insertion(model, dialect, tuple(values)), values))


@cache
def _insertion(model: type[Base], dialect: str, names: tuple[str, ...]) -> Insert:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement = insert(model).values({name: bindparam(name) for name in names})
    return statement.on_conflict_do_nothing().returning(inspect(model).primary_key[0])


def delete_row(db: Session, model: type[Base], **values: Any) -> int:
    """Delete the row of a relation between two, and return how many there were: 1 or 0."""
    return len(execute(db, _removal(model, tuple(values)), values))


@cache
def _removal(model: type[Base], names: tuple[str, ...]) -> Any:
    same = [getattr(model, name) == bindparam(name) for name in names]
    return delete_of(model).where(*same).returning(inspect(model).primary_key[0])


class last_inserted_id(FunctionElement[int]):  # noqa: N801 - as SQLAlchemy names functions
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


@compiles(last_inserted_id, "postgresql")
def _current_value(element: last_inserted_id, compiler: SQLCompiler, **keywords: Any) -> str:
    return f"(SELECT currval({compiler.process(element.clauses, **keywords)}))"


@compiles(last_inserted_id, "sqlite")
def _last_rowid(element: last_inserted_id, compiler: SQLCompiler, **keywords: Any) -> str:
    # What a trigger inserts does not count: its end puts the former value back.
    return "(SELECT last_insert_rowid())"


def with_row_locks(statement: Select[Any], *tables: type[Base]) -> Select[Any]:
    """Return the SELECT so that it locks the rows of `tables` until the transaction ends.

    Weak enough to let others refer to the rows by foreign key. SQLite has no row locks and needs
    none: an unsafe request holds its write lock from the beginning.
    """
    return statement.with_for_update(of=tables, key_share=True)
