"""The short way for reads: a SELECT on a connection that each thread keeps.

A list that is made by a Session or a Connection costs more in these than in the database. Here a
statement is compiled once, and run on the driver's cursor. Which statements there are, their
parameters and their types stay SQLAlchemy's.
"""

import threading
from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, cast
from weakref import WeakSet, finalize

from sqlalchemy import CompoundSelect, Dialect, Engine, Select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

_MOST_STATEMENTS = 512
_MOST_TEXTS = 128
"""Of one statement, as many as there are pages that are asked for often."""

GATEWAY = "gateway"
"""Where a session has the gateway of its database, in `Session.info`."""

Values = Mapping[str, Any]
Query = Select[Any] | CompoundSelect[Any]


class Plan:
    """How a SELECT is said to one kind of database, and how its rows are read."""

    def __init__(self, statement: Query, engine: Engine) -> None:
        """Compile the statement."""
        dialect = engine.dialect
        self._compiled: Any = statement.compile(dialect=dialect)
        self._literals = tuple(each.key for each in self._compiled.literal_execute_params)
        self._expands = bool(self._compiled.post_compile_params)
        self._texts: dict[tuple[Any, ...], Said] = {}
        columns = list(statement.selected_columns)
        self._row: Any = namedtuple("Row", [column.key for column in columns])  # type: ignore[misc]  # the names are known at run time only
        readers = [
            column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns
        ]
        self._readers = [(at, reader) for at, reader in enumerate(readers) if reader is not None]

    def call(self, values: Values) -> tuple[str, Any]:
        """Return the text for these values and what the driver fills it with."""
        said = self._say(values) if self._expands else self._said(values)
        return said.text, said.filling(values)

    def _said(self, values: Values) -> "Said":
        literals = tuple([values[name] for name in self._literals])
        said = self._texts.get(literals)
        if said is None:
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            said = self._texts[literals] = self._say(values)
        return said

    def _say(self, values: Values) -> "Said":
        state = self._compiled.construct_expanded_state(values)
        # The state knows only the writers of what it has expanded.
        return Said(state, values, {**self._compiled._bind_processors, **state.processors})

    def rows(self, found: list[tuple[Any, ...]]) -> list[Any]:
        """Return what the driver found as named tuples of Python's values."""
        if not self._readers:
            return list(map(self._row._make, found))
        return [self._read(each) for each in found]

    def _read(self, found: tuple[Any, ...]) -> Any:
        values = list(found)
        for at, reader in self._readers:
            values[at] = reader(values[at])
        return self._row._make(values)


class Said:
    """A statement's text, with the pages' numbers in it."""

    def __init__(self, state: Any, values: Values, writers: Mapping[str, Any]) -> None:
        """Take what SQLAlchemy made of a statement and these values.

        writers: by the names of parameters, what gives a value the form that the driver takes.
        """
        self.text: str = state.statement
        self._order = state.positiontup
        self._constants = {
            name: value for name, value in state.parameters.items() if name not in values
        }
        self._constants |= {name: state.parameters[name] for name in _expanded(state)}
        self._writers = {
            name: writers[name] for name in state.parameters if writers.get(name) is not None
        }
        self._names = list(state.parameters)

    def filling(self, values: Values) -> Any:
        """Return the parameters in the form that the driver takes."""
        constants = self._constants
        filled = {name: values[name] if name in values else constants[name] for name in self._names}
        for name, writer in self._writers.items():
            filled[name] = writer(filled[name])
        if self._order is None:
            return filled
        return [filled[name] for name in self._order]


def _expanded(state: Any) -> list[str]:
    return [name for names in state.parameter_expansion.values() for name in names]


class Held:
    """A thread's connection, closed when the thread ends."""

    def __init__(self, engine: Engine) -> None:
        """Connect."""
        pooled = engine.raw_connection()
        self.driver = driver = cast("Any", pooled.driver_connection)
        pooled.detach()
        self.cursor: Any = driver.cursor()
        self.close = finalize(self, driver.close)


class Gateway:
    """Runs SELECTs by themselves, or in a session's transaction. Safe to share between threads.

    observers: called with the text of every statement that is sent.
    """

    def __init__(self, engine: Engine) -> None:
        """Connect nowhere yet. engine: the one that can only read."""
        self._engine = engine
        self._plan = lru_cache(_MOST_STATEMENTS)(lambda statement: Plan(statement, engine))
        self._own = threading.local()
        self._all: WeakSet[Held] = WeakSet()
        self.observers: list[Callable[[str], None]] = []

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
            observer(text)
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

    def rows_in(self, db: Session, statement: Query, values: Values) -> list[Any]:
        """Run a SELECT in a session's transaction and return its rows. Raises DBAPIError."""
        plan = self._plan(statement)
        text, filling = plan.call(values)
        for observer in self.observers:
            observer(text)
        connection = db.connection()
        driver = cast("Any", connection.connection.driver_connection)
        cursor = driver.cursor()
        try:
            cursor.execute(text, filling)
            return plan.rows(cursor.fetchall())
        except self._errors as error:
            cut = self._engine.dialect.is_disconnect(error, driver, cursor)
            if cut:
                # What cut this one has cut the others in the pool: the next attempt must not
                # meet one of them.
                connection.invalidate(error)
                connection.engine.dispose()
            raise self._told(error, text, cut=cut) from error
        finally:
            cursor.close()

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
        held.cursor.execute(text, filling)
        found: list[tuple[Any, ...]] = held.cursor.fetchall()
        return found

    def _is_cut(self, error: Any) -> bool:
        """Tell whether the connection is of no use any more, and drop it if so."""
        held = getattr(self._own, "held", None)
        if held is None:
            return False  # it could not be made
        cut = self._engine.dialect.is_disconnect(error, held.driver, held.cursor)
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
