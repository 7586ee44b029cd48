"""The short way to the database: statements compiled once, and run below SQLAlchemy.

A list that is made by a Session or a Connection costs more in these than in the database. What is
read by itself is read on a connection that each thread keeps, the rest in a session's transaction.
PostgreSQL is asked by libpq's calls, SQLite by a cursor.
"""

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast
from weakref import WeakSet, finalize, ref

from sqlalchemy import Connection, Dialect, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from .plan import Change, Plan, Query, Values

_MOST_STATEMENTS = 512

GATEWAY = "gateway"
"""Where a session has the gateway of its database, in `Session.info`."""

_FETCH, _LINE = "fetch", "line"

Fetch = Callable[[str, Any], list[tuple[Any, ...]]]
"""Runs a statement of this text, filled with these values, and returns its rows."""


class Held:
    """A thread's connection, closed when the thread ends."""

    def __init__(self, engine: Engine) -> None:
        """Connect."""
        pooled = engine.raw_connection()
        self.driver = driver = cast("Any", pooled.driver_connection)
        pooled.detach()
        self.fetch: Fetch = _fetching(engine, driver)
        self.close = finalize(self, driver.close)


def _fetching(engine: Engine, driver: Any) -> Fetch:
    if engine.dialect.name == "postgresql":
        from .libpq import Libpq  # its library is not there where there is SQLite only

        return Libpq(driver).fetch
    cursor = driver.cursor()

    def fetch(text: str, filling: Any) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = cursor.execute(text, filling).fetchall()
        return rows

    return fetch


class Gateway:
    """Runs SELECTs by themselves, and any statement in a session's transaction.

    Safe to share between threads. observers: called with every statement that is sent, its text
    and what it is filled with.
    """

    def __init__(self, engine: Engine) -> None:
        """Connect nowhere yet. engine: the one that can only read."""
        self._engine = engine
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
        text, filling = plan.call(values)
        for observer in self.observers:
            observer(text, filling)
        try:
            return plan.rows(self._fetch(text, filling))
        except self._errors as error:
            if not self._is_cut(error):
                raise self._told(error, text, cut=False) from error
        try:
            return plan.rows(self._fetch(text, filling))
        except self._errors as error:
            raise self._told(error, text, cut=self._is_cut(error)) from error

    def row(self, statement: Query, values: Values) -> Any | None:
        """Run a SELECT of at most one row and return it."""
        found = self.rows(statement, values)
        return found[0] if found else None

    def rows_in(self, db: Session, statement: Query | Change, values: Values) -> list[Any]:
        """Run a statement in a session's transaction and return its rows. Raises DBAPIError.

        The session hears nothing of a change: that is for whoever calls (`statements.run`).
        """
        plan = self._plan(statement)
        text, filling = plan.call(values)
        for observer in self.observers:
            observer(text, filling)
        connection, fetch = self._line_of(db)
        try:
            rows = fetch(text, filling)
            return plan.rows(rows) if plan.returns else []
        except self._errors as error:
            driver: Any = connection.connection.driver_connection
            cut = self._engine.dialect.is_disconnect(error, driver, None)
            if cut:
                # What cut this one has cut the others in the pool: the next attempt must not
                # meet one of them.
                connection.invalidate(error)
                connection.engine.dispose()
            raise self._told(error, text, cut=cut) from error

    def _line_of(self, db: Session) -> tuple[Connection, Fetch]:
        """Return the connection of a session's transaction, and what runs statements on it."""
        known = db.info.get(_LINE)
        transaction = db.get_transaction()
        if known is not None and transaction is not None and known[0]() is transaction:
            return known[1], known[2]
        connection = db.connection()
        pooled = connection.connection
        fetch = pooled.info.get(_FETCH)
        if fetch is None:
            fetch = pooled.info[_FETCH] = _fetching(self._engine, pooled.driver_connection)
        db.info[_LINE] = (ref(db.get_transaction()), connection, fetch)
        return connection, fetch

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
        return held.fetch(text, filling)

    def _is_cut(self, error: Any) -> bool:
        """Tell whether the connection is of no use any more, and drop it if so."""
        held = getattr(self._own, "held", None)
        if held is None:
            return False  # it could not be made
        cut = self._engine.dialect.is_disconnect(error, held.driver, None)
        if cut:
            held.close()
            self._own.held = None
        return cut

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
