"""Executes statements on a connection to PostgreSQL by libpq, below psycopg's cursors.

A cursor of psycopg waits by several calls of Python for each statement, which costs more than the
rows of a small one. Here a statement is one call of `psycopg.pq`; psycopg converts the values and
the rows and makes the errors.
"""

from collections import OrderedDict
from collections.abc import Mapping
from itertools import count
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result

MAX_STATEMENTS = 256
_BINARY = pq.Format.BINARY


class _Statement:
    """A statement in the server's syntax.

    name: of the prepared statement, None until it is prepared.
    """

    def __init__(self, text: str, names: list[str], driver: "psycopg.Connection[Any]") -> None:
        self.text = (text % {name: f"${at}" for at, name in enumerate(names, 1)}).encode()
        self.name: bytes | None = None
        self._names = names
        self._formats = [PyFormat.TEXT] * len(names)
        # Kept with the statement: it finds the converters of the columns only once.
        self._transformer: Any = Transformer(driver)

    def encode(self, parameters: Mapping[str, Any]) -> Any:
        values = [parameters[name] for name in self._names]
        return self._transformer.dump_sequence(values, self._formats)

    def rows(self, result: Any) -> list[tuple[Any, ...]]:
        self._transformer.set_pgresult(result)
        rows: list[tuple[Any, ...]] = self._transformer.load_rows(0, result.ntuples, tuple)
        self._transformer.set_pgresult(None)  # or the result would live as long as the statement
        return rows


class LibpqStatements:
    """The statements of one connection, of which only one thread makes use at a time.

    psycopg must prepare none on it: after a rollback it would deallocate those prepared here, too.
    """

    def __init__(self, driver: "psycopg.Connection[Any]", *, can_prepare: bool) -> None:
        """Execute nothing yet. can_prepare: whether to prepare each statement at its second run."""
        self._driver = driver
        self._pgconn = driver.pgconn
        self._can_prepare = can_prepare
        self._statements: OrderedDict[str, _Statement] = OrderedDict()
        self._numbers = count()

    def execute(self, text: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Execute a statement and return its rows, none for one without rows.

        It begins a transaction, as a cursor would. text: with placeholders of the form `%(name)s`.
        Raises psycopg.Error.
        """
        is_idle = self._pgconn.transaction_status == pq.TransactionStatus.IDLE
        if is_idle and not self._driver.autocommit:
            self._begin()
        statement = self._statements.get(text)
        if statement is None:
            statement = self._add(text, parameters)
        else:
            self._statements.move_to_end(text)
            if statement.name is None and self._can_prepare:
                self._prepare(statement)
        encoded = statement.encode(parameters)
        if statement.name is None:
            result = self._pgconn.exec_params(statement.text, encoded, result_format=_BINARY)
        else:
            result = self._pgconn.exec_prepared(statement.name, encoded, result_format=_BINARY)
        return statement.rows(self._check(result))

    def _begin(self) -> None:
        level = self._driver.isolation_level
        name = "" if level is None else f" ISOLATION LEVEL {level.name.replace('_', ' ')}"
        self._check(self._pgconn.exec_(f"BEGIN{name}".encode()))

    def _add(self, text: str, parameters: Mapping[str, Any]) -> _Statement:
        """Remember a statement, and forget the one that was not used for the longest time."""
        if len(self._statements) >= MAX_STATEMENTS:
            _, oldest = self._statements.popitem(last=False)
            if oldest.name is not None:
                self._check(self._pgconn.exec_(b"DEALLOCATE " + oldest.name))
        statement = self._statements[text] = _Statement(text, list(parameters), self._driver)
        return statement

    def _prepare(self, statement: _Statement) -> None:
        name = f"forumsvc_{next(self._numbers)}".encode()
        self._check(self._pgconn.prepare(name, statement.text))
        statement.name = name

    def _check(self, result: Any) -> Any:
        if result.status in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
            return result
        if result.error_field(pq.DiagnosticField.SQLSTATE) is None:
            # An error of libpq, not of the server: the connection is lost. libpq does not always
            # know yet: not after a send that failed, as to a Unix socket that was closed.
            message = result.get_error_message()
            self._driver.close()
            raise psycopg.OperationalError(message)
        raise error_from_result(result)
