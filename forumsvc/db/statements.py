"""The INSERT, UPDATE, DELETE and locking SELECT of all services, for both databases."""

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
    case,
    cast,
    delete,
    func,
    insert,
    inspect,
    literal,
    literal_column,
    select,
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
    """Return an UPDATE of a mapped class, for sessions that hold no loaded objects."""
    return update(model).execution_options(synchronize_session=False)


def delete_of(model: type[Base]) -> Delete:
    """Return a DELETE of a mapped class, for sessions that hold no loaded objects."""
    return delete(model).execution_options(synchronize_session=False)


def execute(db: Session, statement: DmlStatement, values: Values) -> list[Any]:
    """Execute a DML statement of a mapped class, and return the rows of its RETURNING.

    statement: the same object at each call, for it is compiled only once. The write listeners are
    called, which invalidates cached pages.
    """
    executor: Executor = db.info[EXECUTOR]
    for listener in executor.write_listeners:
        listener(db, statement)
    return executor.rows_in(db, statement, values)


def insert_row(db: Session, model: type[Base], **values: Any) -> None:
    """Insert a row. Its id: `last_inserted_id`."""
    execute(db, _insert_row(model, tuple(values)), values)


@cache
def _insert_row(model: type[Base], names: tuple[str, ...]) -> Insert:
    return insert(model).values({name: bindparam(name) for name in names})


def insert_or_ignore(db: Session, model: type[Base], **values: Any) -> int:
    """Insert a row unless a unique key exists already; return the number of rows: 1 or 0.

    Of several concurrent calls one returns 1, the others 0, and none raises.
    """
    dialect = db.get_bind().dialect.name
    return len(execute(db, _insert_or_ignore(model, dialect, tuple(values)), values))


def insert_of(model: type[Base], dialect: str) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT that can have ON CONFLICT. dialect: the name of the database's."""
    return postgresql.insert(model) if dialect == "postgresql" else sqlite.insert(model)


@cache
def _insert_or_ignore(model: type[Base], dialect: str, names: tuple[str, ...]) -> Insert:
    statement = insert_of(model, dialect).values({name: bindparam(name) for name in names})
    return statement.on_conflict_do_nothing().returning(inspect(model).primary_key[0])


def delete_row(db: Session, model: type[Base], **values: Any) -> int:
    """Delete the row with these values of a unique key; return the number of rows: 1 or 0."""
    return len(execute(db, _delete_row(model, tuple(values)), values))


@cache
def _delete_row(model: type[Base], names: tuple[str, ...]) -> Any:
    same = [getattr(model, name) == bindparam(name) for name in names]
    return delete_of(model).where(*same).returning(inspect(model).primary_key[0])


class last_inserted_id(FunctionElement[int]):  # noqa: N801 - as SQLAlchemy names functions
    """The id of the row that this connection inserted last into a table.

    Of that table only: a trigger may insert into others. It is rendered as a scalar subquery,
    because the database would evaluate a volatile function for every row.
    """

    name = "last_inserted_id"
    inherit_cache = True

    def __init__(self, model: type[Base]) -> None:
        """Create the expression. model: its `id` comes from a sequence."""
        self.type = BigInteger()
        super().__init__(literal_column(f"'{model.__tablename__}_id_seq'"))


@compiles(last_inserted_id, "postgresql")
def _current_value(element: last_inserted_id, compiler: SQLCompiler, **keywords: Any) -> str:
    return f"(SELECT currval({compiler.process(element.clauses, **keywords)}))"


@compiles(last_inserted_id, "sqlite")
def _last_rowid(element: last_inserted_id, compiler: SQLCompiler, **keywords: Any) -> str:
    # At the end of a trigger SQLite restores the value from before it.
    return "(SELECT last_insert_rowid())"


def at_least_zero(changed: ColumnElement[int]) -> ColumnElement[int]:
    """Return a counter as it is changed, or zero where it would be less.

    The tables refuse less, and a counter that is too low must not keep anybody from deleting what
    it counts. changed: the counter and what is added to it.
    """
    return case((changed < 0, 0), else_=changed)


class greatest(FunctionElement[int]):  # noqa: N801 - as SQLAlchemy names functions
    """The greatest of several numbers of one row."""

    name = "greatest"
    type = BigInteger()
    inherit_cache = True


@compiles(greatest)
def _greatest(element: greatest, compiler: SQLCompiler, **keywords: Any) -> str:
    return f"greatest({compiler.process(element.clauses, **keywords)})"


@compiles(greatest, "sqlite")
def _max_of_row(element: greatest, compiler: SQLCompiler, **keywords: Any) -> str:
    return f"max({compiler.process(element.clauses, **keywords)})"


class database_time(FunctionElement[int]):  # noqa: N801 - as SQLAlchemy names functions
    """Milliseconds since 1970 by the clock of the database, at the time of the statement."""

    name = "database_time"
    type = BigInteger()
    inherit_cache = True


@compiles(database_time, "postgresql")
def _timestamp_of_postgresql(element: database_time, compiler: SQLCompiler, **keywords: Any) -> str:
    return "(extract(epoch FROM statement_timestamp()) * 1000)::bigint"


@compiles(database_time, "sqlite")
def _julianday(element: database_time, compiler: SQLCompiler, **keywords: Any) -> str:
    return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"


def lock_number(db: Session, number: int) -> None:
    """Have all others who lock this number wait until the transaction ends.

    SQLite has its write lock for it, which a transaction takes when it begins.
    """
    if db.connection().dialect.name == "postgresql":
        db.execute(select(func.pg_advisory_xact_lock(cast(literal(number), BigInteger))))


def with_row_locks(statement: Select[Any], *tables: type[Base]) -> Select[Any]:
    """Return the SELECT with FOR NO KEY UPDATE of `tables`.

    Others can still insert rows that refer to the locked ones by foreign key. SQLite has no row
    locks and needs none: a transaction that writes holds the write lock from its beginning.
    """
    return statement.with_for_update(of=tables, key_share=True)
