"""Executes statements by libpq's prepared statements, binary results and pipeline mode.

psycopg's cursors support every way of waiting, which for a small statement costs more time than
its rows do. Here only the calls of libpq are made in another way: psycopg still converts the
values and makes the errors.
"""

import secrets
from collections import OrderedDict
from collections.abc import Mapping
from itertools import count
from typing import Any

import psycopg
from psycopg import capabilities, pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.generators import fetch_many, send

from .driver_connection import PendingRows
from .server_connection import ServerConnection

MAX_PREPARED = 256
_BINARY = pq.Format.BINARY
_OK = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)


class _Statement:
    """A statement in the server's syntax.

    was_run: whether it was sent before; name: of the prepared statement, made at the second run.
    """

    __slots__ = ("adapter", "formats", "name", "order", "text", "was_run")

    def __init__(self, text: str, names: list[str], connection: "psycopg.Connection[Any]") -> None:
        self.order = names
        self.text = (text % {name: f"${at}" for at, name in enumerate(names, 1)}).encode()
        self.formats = [PyFormat.TEXT] * len(names)
        self.adapter: Any = Transformer(connection)
        self.was_run = False
        self.name: bytes | None = None

    def encode(self, parameters: Mapping[str, Any]) -> Any:
        """Return the parameters in the server's format."""
        if not self.order:
            return None
        return self.adapter.dump_sequence([parameters[name] for name in self.order], self.formats)

    def rows(self, result: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a result."""
        if result.status == pq.ExecStatus.COMMAND_OK:
            return []
        self.adapter.set_pgresult(result)
        rows: list[tuple[Any, ...]] = self.adapter.load_rows(0, result.ntuples, tuple)
        self.adapter.set_pgresult(None)  # or the result would live as long as the statement
        return rows


_Pending = tuple[_Statement, Any, PendingRows | None]
"""A queued statement, its encoded parameters, and where its rows go."""


class PipelineConnection:
    """A DriverConnection for psycopg, whose `prepare_threshold` must be None.

    Otherwise psycopg would, at a rollback, also deallocate the statements prepared here. A
    transaction is begun if there is none and the connection is not in AUTOCOMMIT; the driver ends
    it. Queued statements are sent together with the next one, for each wake-up of one of the two
    processes costs both of them as much as a small statement.
    """

    def __init__(self, connection: ServerConnection) -> None:
        self._can_prepare = connection.can_prepare
        self._connection = connection
        self._pgconn = connection.pgconn
        self._begins_transactions = not connection.autocommit
        self._statements: OrderedDict[str, _Statement] = OrderedDict()
        # Unique among all connections: behind a pooler that mixes sessions, a prepared statement
        # of another connection would be executed in place of ours.
        self._name_prefix = f"forumsvc_{secrets.token_hex(8)}_"
        self._numbers = count()
        self._evicted: list[bytes] = []
        self._pending: list[_Pending] = []

    def execute(self, text: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Execute a statement, after the queued ones, and return its rows. Raises psycopg.Error.

        text: with placeholders of the form `%(name)s`.
        """
        self._begin_if_idle()
        statement = self._statement(text, parameters)
        encoded = statement.encode(parameters)
        if self._pending or self._evicted:
            self._pending.append((statement, encoded, None))
            return statement.rows(self._execute_pending())
        return statement.rows(self._execute_now(statement, encoded))

    def queue(self, text: str, parameters: Mapping[str, Any]) -> None:
        """Queue a statement whose result is not needed.

        It is sent with the next statement, which raises its error; no statement after a failed one
        is executed.
        """
        self._enqueue(text, parameters, None)

    def submit(self, text: str, parameters: Mapping[str, Any]) -> PendingRows:
        """Queue a statement and return its pending rows.

        It is sent with the next statement, or when its rows are needed.
        """
        pending_rows = PendingRows(self)
        self._enqueue(text, parameters, pending_rows)
        return pending_rows

    def flush(self) -> None:
        """Execute the queued statements. Raises psycopg.Error."""
        if self._pending:
            self._execute_pending()

    def commit(self) -> None:
        """Execute the queued statements and COMMIT; with an empty queue the driver commits.

        Raises psycopg.Error.
        """
        if self._pending:
            self.queue("COMMIT", {})
            self._execute_pending()

    def discard(self) -> None:
        """Drop the queued statements."""
        pending, self._pending = self._pending, []
        _cancel(pending)

    def _enqueue(
        self, text: str, parameters: Mapping[str, Any], pending_rows: PendingRows | None
    ) -> None:
        self._begin_if_idle()
        statement = self._statement(text, parameters)
        self._pending.append((statement, statement.encode(parameters), pending_rows))

    def _begin_if_idle(self) -> None:
        is_idle = self._pgconn.transaction_status == pq.TransactionStatus.IDLE
        if self._begins_transactions and is_idle and not self._pending:
            self._pending.append((self._statement(_begin_sql(self._connection), {}), None, None))

    def _statement(self, text: str, parameters: Mapping[str, Any]) -> _Statement:
        statement = self._statements.get(text)
        if statement is None:
            statement = _Statement(text, list(parameters), self._connection)
            self._statements[text] = statement
            if len(self._statements) > MAX_PREPARED:
                self._evict()
        else:
            self._statements.move_to_end(text)
        return statement

    def _evict(self) -> None:
        """Remove the least recently used statement that is not in the queue."""
        pending = {id(statement) for statement, _, _ in self._pending}
        for text, statement in self._statements.items():
            if id(statement) not in pending:
                del self._statements[text]
                if statement.name is not None:
                    self._evicted.append(statement.name)
                return

    def _execute_now(self, statement: _Statement, encoded: Any) -> Any:
        pgconn = self._pgconn
        if statement.was_run and statement.name is None and self._can_prepare:
            name = self._new_name()
            self._check(pgconn.prepare(name, statement.text))
            statement.name = name
        if statement.name is None:
            statement.was_run = True
            return self._check(pgconn.exec_params(statement.text, encoded, result_format=_BINARY))
        return self._check(pgconn.exec_prepared(statement.name, encoded, result_format=_BINARY))

    def _execute_pending(self) -> Any:
        """Execute the queue as one pipeline, and return the last statement's result."""
        pending, self._pending = self._pending, []
        evicted, self._evicted = self._evicted, []
        prepared: dict[int, _Statement] = {}
        submitted: dict[int, tuple[_Statement, PendingRows]] = {}
        sent = 0
        self._pgconn.enter_pipeline_mode()
        try:
            for name in evicted:
                self._close(name)
                sent += 1
            for statement, encoded, pending_rows in pending:
                if statement.was_run and statement.name is None and self._can_prepare:
                    statement.name = self._new_name()
                    prepared[sent] = statement
                    self._pgconn.send_prepare(statement.name, statement.text)
                    sent += 1
                if pending_rows is not None:
                    submitted[sent] = statement, pending_rows
                self._send(statement, encoded)
                sent += 1
            self._pgconn.pipeline_sync()
            results = self._connection.wait(_results(self._pgconn, sent))
            self._pgconn.exit_pipeline_mode()
        except BaseException:
            # The state of the protocol is undefined: the connection cannot be used any more.
            self._connection.close()
            _cancel(pending)
            raise
        try:
            for result in results:
                self._check(result)
        except psycopg.Error:
            for at, statement in prepared.items():
                if results[at].status not in _OK:
                    statement.name = None  # not prepared: it came after the failed statement
            self._evicted += [
                name for at, name in enumerate(evicted) if results[at].status not in _OK
            ]
            _cancel(pending)
            raise
        for at, (statement, pending_rows) in submitted.items():
            pending_rows.resolve(statement.rows(results[at]))
        return results[-1]

    def _send(self, statement: _Statement, encoded: Any) -> None:
        if statement.name is None:
            statement.was_run = True
            self._pgconn.send_query_params(statement.text, encoded, result_format=_BINARY)
        else:
            self._pgconn.send_query_prepared(statement.name, encoded, result_format=_BINARY)

    def _close(self, name: bytes) -> None:
        if capabilities.has_send_close_prepared():
            self._pgconn.send_close_prepared(name)
        else:
            self._pgconn.send_query_params(b"DEALLOCATE " + name, None)

    def _new_name(self) -> bytes:
        return f"{self._name_prefix}{next(self._numbers)}".encode()

    def _check(self, result: Any) -> Any:
        if result.status in _OK:
            return result
        if self._pgconn.status == pq.ConnStatus.BAD:
            # An error of libpq, not of the server: it has no SQLSTATE.
            raise psycopg.OperationalError(self._pgconn.get_error_message())
        raise error_from_result(result)


def _begin_sql(connection: "psycopg.Connection[Any]") -> str:
    """Return the BEGIN with the transaction characteristics that the connection is set to."""
    words = ["BEGIN"]
    if connection.isolation_level is not None:
        words.append(f"ISOLATION LEVEL {connection.isolation_level.name.replace('_', ' ')}")
    if connection.read_only is not None:
        words.append("READ ONLY" if connection.read_only else "READ WRITE")
    if connection.deferrable is not None:
        words.append("DEFERRABLE" if connection.deferrable else "NOT DEFERRABLE")
    return " ".join(words)


def _cancel(pending: list[_Pending]) -> None:
    for _, _, pending_rows in pending:
        if pending_rows is not None:
            pending_rows.cancel()


def _results(pgconn: Any, number: int) -> Any:
    """Send the rest of the pipeline and return the results of so many statements."""
    yield from send(pgconn)
    results = []
    for _ in range(number):
        results += yield from fetch_many(pgconn)
    yield from fetch_many(pgconn)  # the end of the pipeline
    return results
