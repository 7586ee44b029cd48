"""Executes statements below SQLAlchemy's Session and Connection, each compiled only once.

For a list, Session or Connection cost more time than the database itself. SELECTs outside a
transaction run on a connection that each thread keeps, all else in a session's transaction.
"""

import math
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast
from weakref import WeakSet, finalize, ref

from sqlalchemy import Connection, Dialect, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from .compiled_statement import CompiledStatement, DmlStatement, Query, Values
from .connection_options import ConnectionOptions
from .failures import is_of_no_use

_MAX_STATEMENTS = 512

EXECUTOR = "executor"
"""The key in `Session.info` of the executor of the session's database."""

_EXECUTE = "execute"
"""The key of the function that executes statements on a connection: in the `info` of the
connection, and of a session that uses it."""

_Execute = Callable[[str, Any], list[tuple[Any, ...]]]
"""Executes a statement with its parameters and returns its rows. Raises the driver's errors."""


class _ThreadConnection:
    """The read-only connection that a thread keeps, closed when the thread ends.

    opened_at: in monotonic seconds.
    """

    def __init__(self, engine: Engine, options: ConnectionOptions) -> None:
        pooled = engine.raw_connection()
        self.opened_at = time.monotonic()
        self.driver = driver = cast("Any", pooled.driver_connection)
        pooled.detach()
        self.execute = _make_execute(engine.dialect, driver, options)
        self.close = finalize(self, driver.close)


def _make_execute(dialect: Dialect, driver: Any, options: ConnectionOptions) -> _Execute:
    """Return what executes statements on a connection of the driver."""
    if dialect.name == "postgresql":
        from .libpq_statements import LibpqStatements  # not installed where there is only SQLite

        return LibpqStatements(driver, can_prepare=not options.pooler).execute
    cursor = driver.cursor()

    def execute(text: str, parameters: Any) -> list[tuple[Any, ...]]:
        cursor.execute(text, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows

    return execute


class Executor:
    """Runs SELECTs in AUTOCOMMIT, and any statement in a session's transaction. Thread-safe.

    A statement must be the same object at each call, or it is compiled again.

    query_listeners: called with the text and the parameters of each statement; write_listeners:
    called by `statements.execute` with the session and the statement.
    """

    def __init__(self, engine: Engine, options: ConnectionOptions | None = None) -> None:
        """Create an executor, which opens no connection yet.

        engine: the read-only one; options: None for the defaults.
        """
        self._options = options = options or ConnectionOptions()
        self._engine = engine
        self._max_age = options.max_age_seconds or math.inf
        self._compiled = lru_cache(_MAX_STATEMENTS)(
            lambda statement: CompiledStatement(statement, engine.dialect)
        )
        self._local = threading.local()
        self._thread_connections: WeakSet[_ThreadConnection] = WeakSet()
        self.query_listeners: list[Callable[[str, Any], None]] = []
        self.write_listeners: list[Callable[[Session, Any], None]] = []

    @property
    def dialect(self) -> Dialect:
        return self._engine.dialect

    def rows(self, statement: Query, values: Values) -> list[Any]:
        """Run a SELECT and return its rows. Raises DBAPIError.

        Where the connection was lost, the SELECT is repeated once on a new one.
        """
        compiled = self._compiled(statement)
        text, parameters = self._render(compiled, values)
        is_repeated = False
        while True:
            try:
                return compiled.rows(self._execute(text, parameters))
            except self._errors as error:
                is_disconnect = self._drop_if_disconnected(error)
                if is_repeated or not is_disconnect:
                    raise self._wrap_error(error, text, is_disconnect=is_disconnect) from error
            is_repeated = True

    def rows_in(self, db: Session, statement: Query | DmlStatement, values: Values) -> list[Any]:
        """Run a statement in a session's transaction and return its rows. Raises DBAPIError.

        Does not call the write listeners: `statements.execute` does.
        """
        compiled = self._compiled(statement)
        text, parameters = self._render(compiled, values)
        connection, execute = self._connection_of(db)
        try:
            result = execute(text, parameters)
        except self._errors as error:
            raise self._on_error(connection, error, text) from error
        return compiled.rows(result)

    def _render(self, compiled: CompiledStatement, values: Values) -> tuple[str, Any]:
        text, parameters = compiled.render(values)
        for listener in self.query_listeners:
            listener(text, parameters)
        return text, parameters

    def _on_error(self, connection: Connection, error: Any, text: str) -> BaseException:
        """Return SQLAlchemy's error for one on a session's connection, dropping a lost one."""
        is_disconnect = self._is_disconnect(error, connection.connection.driver_connection)
        if is_disconnect:
            # The other connections of the pool are lost too: the next attempt must not get one.
            connection.invalidate(error)
            connection.engine.dispose()
        return self._wrap_error(error, text, is_disconnect=is_disconnect)

    def _connection_of(self, db: Session) -> tuple[Connection, _Execute]:
        """Return the connection of a session's transaction, and what executes statements on it."""
        cached = db.info.get(_EXECUTE)
        transaction = db.get_transaction()
        if cached is not None and transaction is not None and cached[0]() is transaction:
            return cached[1], cached[2]
        connection = db.connection()
        pooled = connection.connection
        execute: _Execute | None = pooled.info.get(_EXECUTE)
        if execute is None:
            execute = _make_execute(self.dialect, pooled.driver_connection, self._options)
            pooled.info[_EXECUTE] = execute
        db.info[_EXECUTE] = (ref(db.get_transaction()), connection, execute)
        return connection, execute

    @property
    def thread_connections(self) -> int:
        """The number of connections that threads keep."""
        return len(self._thread_connections)

    def close(self) -> None:
        """Close the connections of all threads."""
        for thread_connection in list(self._thread_connections):
            thread_connection.close()
        self._local = threading.local()

    def reset_after_fork(self) -> None:
        """Forget the connections without closing them: the parent process still uses them."""
        for thread_connection in list(self._thread_connections):
            thread_connection.close.detach()
            _INHERITED.append(thread_connection)
        self._local = threading.local()
        self._thread_connections = WeakSet()

    @property
    def _errors(self) -> Any:
        return self._engine.dialect.loaded_dbapi.Error

    def _execute(self, text: str, parameters: Any) -> list[tuple[Any, ...]]:
        thread_connection = getattr(self._local, "connection", None)
        if (
            thread_connection is None
            or time.monotonic() - thread_connection.opened_at > self._max_age
        ):
            thread_connection = self._local.connection = _ThreadConnection(
                self._engine, self._options
            )
            self._thread_connections.add(thread_connection)
        return thread_connection.execute(text, parameters)

    def _drop_if_disconnected(self, error: Any) -> bool:
        """Return whether the thread's connection is lost; close it, and the pool, if so."""
        thread_connection = getattr(self._local, "connection", None)
        if thread_connection is None:
            return False  # the error came while connecting
        is_disconnect = self._is_disconnect(error, thread_connection.driver)
        if is_disconnect:
            thread_connection.close()
            self._local.connection = None
            # The idle connections of the pool are lost too.
            self._engine.dispose()
        return is_disconnect

    def _is_disconnect(self, error: Any, driver: Any) -> bool:
        return is_of_no_use(error) or self._engine.dialect.is_disconnect(error, driver, None)

    def _wrap_error(self, error: Exception, text: str, *, is_disconnect: bool) -> BaseException:
        """Return SQLAlchemy's DBAPIError for an error of the driver, without the parameters."""
        return DBAPIError.instance(
            text,
            None,
            error,
            self._errors,
            hide_parameters=True,
            connection_invalidated=is_disconnect,
            dialect=self._engine.dialect,
        )


_INHERITED: list[_ThreadConnection] = []
"""Kept alive: closing them would end the parent's sessions on the server."""
