"""The short way to the database: statements compiled once, and run below SQLAlchemy.

A list that is made by a Session or a Connection costs more in these than in the database. What is
read by itself is read on a connection that each thread keeps, the rest in a session's transaction.
PostgreSQL is asked by libpq's calls, SQLite by a cursor.
"""

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast
from weakref import WeakSet, finalize, ref

from sqlalchemy import Connection, Dialect, Engine, ExceptionContext, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from .blocked_reads import BlockedReads
from .failures import is_outdated_session
from .line import Line, line
from .lock_waits import LockWaits
from .plan import Change, Plan, Query, Values

T = TypeVar("T")

Awaited = Callable[[], list[Any]]
"""Gives the rows of a statement that was sent, as soon as they are there."""

_MOST_STATEMENTS = 512

GATEWAY = "gateway"
"""Where a session has the gateway of its database, in `Session.info`."""

_LINE = "line"


class Held:
    """A thread's connection, closed when the thread ends."""

    def __init__(self, engine: Engine) -> None:
        """Connect."""
        pooled = engine.raw_connection()
        self.driver = driver = cast("Any", pooled.driver_connection)
        pooled.detach()
        self.line = line(engine.dialect, driver)
        self.close = finalize(self, driver.close)


class Gateway:
    """Runs SELECTs by themselves, and any statement in a session's transaction.

    Safe to share between threads. observers: called with every statement that is sent, its text
    and what it is filled with.
    """

    def __init__(self, engine: Engine, lock_waits: LockWaits | None = None) -> None:
        """Connect nowhere yet.

        engine: the one that can only read; lock_waits: hears of locks that sessions take.
        """
        self._engine = engine
        self._lock_waits = lock_waits or LockWaits(None)
        self._blocked_reads = BlockedReads()
        self._plan = lru_cache(_MOST_STATEMENTS)(lambda said: Plan(said, engine.dialect))
        self._own = threading.local()
        self._all: WeakSet[Held] = WeakSet()
        self.observers: list[Callable[[str, Any], None]] = []

    @property
    def dialect(self) -> Dialect:
        """What kind of database it is."""
        return self._engine.dialect

    def rows(self, statement: Query, values: Values) -> list[Any]:
        """Run a SELECT and return its rows. Raises DBAPIError.

        A connection that was cut is made again, once: whoever only reads can be read again.
        """
        plan = self._plan(statement)
        text, filling = self._call(plan, values)
        try:
            return plan.rows(self._blocked_reads.run(plan, lambda: self._fetch(text, filling)))
        except self._errors as error:
            if not self._is_cut(error):
                raise self._told(error, text, cut=False) from error
        try:
            return plan.rows(self._blocked_reads.run(plan, lambda: self._fetch(text, filling)))
        except self._errors as error:
            raise self._told(error, text, cut=self._is_cut(error)) from error

    def row(self, statement: Query, values: Values) -> Any | None:
        """Run a SELECT of at most one row and return it."""
        found = self.rows(statement, values)
        return found[0] if found else None

    def rows_in(self, db: Session, statement: Query | Change, values: Values) -> list[Any]:
        """Run a statement in a session's transaction and return its rows. Raises DBAPIError.

        One that returns none may be run, and fail, together with the next one or with the commit;
        the sessions' engine is to be `follow`ed. The session hears nothing of a change: that is for
        whoever calls (`statements.run`).
        """
        plan = self._plan(statement)
        text, filling = self._call(plan, values)
        connection, own = self._line_of(db)
        if plan.returns:

            def fetch() -> list[tuple[Any, ...]]:
                return self._tried(connection, text, lambda: own.fetch(text, filling))

            if plan.locks:
                lock = (text, *filling.values())
                return plan.rows(self._lock_waits.wait(connection, lock, fetch))
            return plan.rows(fetch())
        self._tried(connection, text, lambda: own.later(text, filling))
        return []

    def ask_in(self, db: Session, statement: Query | Change, values: Values) -> Awaited:
        """Run a statement as `rows_in` does, and return what gives its rows when they are needed.

        It may be run, and fail, together with the next one. Of one that was rolled back there is a
        LookupError.
        """
        plan = self._plan(statement)
        text, filling = self._call(plan, values)
        connection, own = self._line_of(db)
        answer = self._tried(connection, text, lambda: own.ask(text, filling))
        return lambda: plan.rows(self._tried(connection, text, answer.rows))

    def _call(self, plan: Plan, values: Values) -> tuple[str, Any]:
        """Return a statement's text and what fills it, told to the observers."""
        text, filling = plan.call(values)
        for observer in self.observers:
            observer(text, filling)
        return text, filling

    def _tried(self, connection: Connection, text: str, act: Callable[[], T]) -> T:
        """Do something on a session's connection. Raises DBAPIError."""
        try:
            return act()
        except self._errors as error:
            raise self._failed(connection, error, text) from error
        except BaseException as error:
            if not isinstance(error, Exception):
                connection.invalidate()  # as SQLAlchemy does: it stands between two answers
            raise

    def follow(self, engine: Engine) -> None:
        """Keep `rows_in` in order with what SQLAlchemy itself runs on an engine's connections."""

        def before(connection: Connection, *rest: Any) -> None:
            self._do(connection, lambda own: own.catch_up())

        def commit(connection: Connection) -> None:
            try:
                self._do(connection, lambda own: own.commit())
            except DBAPIError:
                # SQLAlchemy takes a transaction for ended once it has begun to commit it.
                if not connection.invalidated:
                    self._roll_back(connection)
                raise

        def rollback(connection: Connection) -> None:
            if not (connection.closed or connection.invalidated):
                self._do(connection, lambda own: own.forget())

        def given_back(driver: Any, record: ConnectionPoolEntry) -> None:
            # From sessions that nobody has closed.
            own: Line | None = record.info.get(_LINE)
            if own is not None:
                own.forget()

        def failed(context: ExceptionContext) -> None:
            if is_outdated_session(context.original_exception):
                context.is_disconnect = True

        event.listen(engine, "handle_error", failed)
        event.listen(engine, "before_cursor_execute", before)
        event.listen(engine, "commit", commit)
        event.listen(engine, "rollback", rollback)
        event.listen(engine, "checkin", given_back)

    def _do(self, connection: Connection, act: Callable[[Line], None]) -> None:
        own = connection.connection.info.get(_LINE)
        if own is None:
            return
        try:
            act(own)
        except self._errors as error:
            raise self._failed(connection, error, "") from error
        except BaseException:
            connection.invalidate()  # it stands between two answers
            raise

    def _roll_back(self, connection: Connection) -> None:
        try:
            connection.connection.rollback()
        except self._errors as error:
            connection.invalidate(error)

    def _failed(self, connection: Connection, error: Any, text: str) -> BaseException:
        """Return an error on a session's connection as SQLAlchemy tells it."""
        driver: Any = connection.connection.driver_connection
        cut = self._is_of_no_use(error, driver)
        if cut:
            # What cut this one has cut the others in the pool: the next attempt must not
            # meet one of them.
            connection.invalidate(error)
            connection.engine.dispose()
        return self._told(error, text, cut=cut)

    def _line_of(self, db: Session) -> tuple[Connection, Line]:
        """Return the connection of a session's transaction, and what runs statements on it."""
        known = db.info.get(_LINE)
        transaction = db.get_transaction()
        if known is not None and transaction is not None and known[0]() is transaction:
            return known[1], known[2]
        connection = db.connection()
        own = self._line_on(connection)
        db.info[_LINE] = (ref(db.get_transaction()), connection, own)
        return connection, own

    def _line_on(self, connection: Connection) -> Line:
        pooled = connection.connection
        own: Line | None = pooled.info.get(_LINE)
        if own is None:
            own = pooled.info[_LINE] = line(self._engine.dialect, pooled.driver_connection)
        return own

    def limit_lock_waits(self, connection: Connection, seconds: float | None) -> None:
        """Let a transaction of PostgreSQL that begins wait no longer for any lock; None: no limit.

        That is sent together with its first statement.
        """
        if seconds is not None:
            limit = f"SET LOCAL lock_timeout = {round(seconds * 1000)}"
            self._line_on(connection).later(limit, {})

    @property
    def held(self) -> int:
        """How many connections threads keep."""
        return len(self._all)

    def close(self) -> None:
        """Close the connections of all threads."""
        for held in list(self._all):
            held.close()
        self._own = threading.local()

    def forget(self) -> None:
        """Drop the connections without closing them: they belong to the process forked from."""
        for held in list(self._all):
            held.close.detach()
            _FORGOTTEN.append(held)
        self._own = threading.local()
        self._all = WeakSet()

    @property
    def _errors(self) -> Any:
        return self._engine.dialect.loaded_dbapi.Error

    def _fetch(self, text: str, filling: Any) -> list[tuple[Any, ...]]:
        held = getattr(self._own, "held", None)
        if held is None:
            held = self._own.held = Held(self._engine)
            self._all.add(held)
        return held.line.fetch(text, filling)

    def _is_cut(self, error: Any) -> bool:
        """Tell whether the connection is of no use any more, and drop it if so."""
        held = getattr(self._own, "held", None)
        if held is None:
            return False  # it could not be made
        cut = self._is_of_no_use(error, held.driver)
        if cut:
            held.close()
            self._own.held = None
            # Those that wait in the pool are no better.
            self._engine.dispose()
        return cut

    def _is_of_no_use(self, error: Any, driver: Any) -> bool:
        return is_outdated_session(error) or self._engine.dialect.is_disconnect(error, driver, None)

    def _told(self, error: Exception, text: str, *, cut: bool) -> BaseException:
        """Return an error of the driver as SQLAlchemy tells it, without the parameters."""
        return DBAPIError.instance(
            text,
            None,
            error,
            self._errors,
            hide_parameters=True,
            connection_invalidated=cut,
            dialect=self._engine.dialect,
        )


_FORGOTTEN: list[Held] = []
"""Kept from being closed, which would tell the database's server that the parent has gone."""
