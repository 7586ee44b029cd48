"""PostgreSQL's own calls: a statement prepared once, rows in their binary form.

The driver's cursors are made to wait for anything in any way, which costs a small statement more
than its rows do. Only the steps are others here: values are adapted by the driver, errors are its.
"""

import secrets
from collections import OrderedDict
from collections.abc import Mapping
from itertools import count
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.generators import fetch_many, send

from .driver_connection import PendingRows

MAX_PREPARED = 256
_BINARY = pq.Format.BINARY
_WELL = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)


class _Statement:
    """A statement as the server takes it.

    was_run: whether it was sent before; name: as which it is prepared, which it is the second time.
    """

    __slots__ = ("adapter", "formats", "name", "order", "text", "was_run")

    def __init__(self, text: str, names: list[str], connection: "psycopg.Connection[Any]") -> None:
        self.order = names
        self.text = (text % {name: f"${at}" for at, name in enumerate(names, 1)}).encode()
        self.formats = [PyFormat.TEXT] * len(names)
        self.adapter: Any = Transformer(connection)
        self.was_run = False
        self.name: bytes | None = None

    def values(self, parameters: Mapping[str, Any]) -> Any:
        """Return the parameters in the server's form."""
        if not self.order:
            return None
        return self.adapter.dump_sequence([parameters[name] for name in self.order], self.formats)

    def rows(self, result: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a result."""
        if result.status == pq.ExecStatus.COMMAND_OK:
            return []
        self.adapter.set_pgresult(result)
        rows: list[tuple[Any, ...]] = self.adapter.load_rows(0, result.ntuples, tuple)
        self.adapter.set_pgresult(None)  # or the answer would be kept as long as the statement
        return rows


_Waiting = tuple[_Statement, Any, PendingRows | None]
"""A statement, its values, and what is to take its rows."""


class PipelineConnection:
    """Runs statements on a connection of psycopg, whose `prepare_threshold` must be None.

    With statements of its own the driver would at a rollback drop those of here. A transaction is
    begun where none is and the connection is not in AUTOCOMMIT; the driver ends it.

    What nobody awaits is sent together with what comes next: each time that one of the two
    processes has to be woken costs both of them as much as a small statement.
    """

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        """Take the connection."""
        self._connection = connection
        self._line = connection.pgconn
        self._begins = not connection.autocommit
        self._known: OrderedDict[str, _Statement] = OrderedDict()
        # No other process or connection has names like these: behind a pooler that mixes sessions
        # a statement of another one would answer for ours.
        self._name = f"forumsvc_{secrets.token_hex(8)}_"
        self._numbers = count()
        self._evicted: list[bytes] = []
        self._waiting: list[_Waiting] = []

    def execute(self, text: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run a statement, behind those that wait, and return its rows. Raises psycopg.Error.

        text: with placeholders of the form `%(name)s`; parameters: their values.
        """
        self._begin_if_none()
        known = self._statement(text, parameters)
        values = known.values(parameters)
        if self._waiting or self._evicted:
            self._waiting.append((known, values, None))
            return known.rows(self._execute_pending())
        return known.rows(self._execute_now(known, values))

    def queue(self, text: str, parameters: Mapping[str, Any]) -> None:
        """Run a statement of which nobody awaits anything together with the next one.

        An error of it is raised then, and what comes behind it is not run.
        """
        self._wait(text, parameters, None)

    def submit(self, text: str, parameters: Mapping[str, Any]) -> PendingRows:
        """Run a statement together with the next one, or with those before it when its rows are
        awaited.
        """
        answer = PendingRows(self)
        self._wait(text, parameters, answer)
        return answer

    def flush(self) -> None:
        """Run what waits. Raises psycopg.Error."""
        if self._waiting:
            self._execute_pending()

    def commit(self) -> None:
        """Run what waits and commit; where nothing waits, that is left to the driver.

        Raises psycopg.Error.
        """
        if self._waiting:
            self.queue("COMMIT", {})
            self._execute_pending()

    def discard(self) -> None:
        """Never run what waits."""
        waiting, self._waiting = self._waiting, []
        _give_up(waiting)

    def _wait(self, text: str, parameters: Mapping[str, Any], answer: PendingRows | None) -> None:
        self._begin_if_none()
        known = self._statement(text, parameters)
        self._waiting.append((known, known.values(parameters), answer))

    def _begin_if_none(self) -> None:
        is_first = self._line.transaction_status == pq.TransactionStatus.IDLE
        if self._begins and is_first and not self._waiting:
            self._waiting.append((self._statement(_begin(self._connection), {}), None, None))

    def _statement(self, text: str, parameters: Mapping[str, Any]) -> _Statement:
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = _Statement(text, list(parameters), self._connection)
            if len(self._known) > MAX_PREPARED:
                self._evict()
        else:
            self._known.move_to_end(text)
        return known

    def _evict(self) -> None:
        """Forget the statement that was used longest ago, but for those that wait to be sent."""
        waiting = {id(known) for known, _, _ in self._waiting}
        for text, known in self._known.items():
            if id(known) not in waiting:
                del self._known[text]
                if known.name is not None:
                    self._evicted.append(known.name)
                return

    def _execute_now(self, known: _Statement, values: Any) -> Any:
        line = self._line
        if not known.was_run:
            known.was_run = True
            return self._checked(line.exec_params(known.text, values, result_format=_BINARY))
        if known.name is None:
            name = self._new_name()
            self._checked(line.prepare(name, known.text))
            known.name = name
        return self._checked(line.exec_prepared(known.name, values, result_format=_BINARY))

    def _execute_pending(self) -> Any:
        """Send all that waits, and return the last one's result."""
        waiting, self._waiting = self._waiting, []
        evicted, self._evicted = self._evicted, []
        prepared: dict[int, _Statement] = {}
        awaited: dict[int, tuple[_Statement, PendingRows]] = {}
        sent = 0
        self._line.enter_pipeline_mode()
        try:
            for name in evicted:
                self._line.send_query_params(b"DEALLOCATE " + name, None)
                sent += 1
            for known, values, answer in waiting:
                if known.was_run and known.name is None:
                    known.name = self._new_name()
                    prepared[sent] = known
                    self._line.send_prepare(known.name, known.text)
                    sent += 1
                if answer is not None:
                    awaited[sent] = known, answer
                self._send(known, values)
                sent += 1
            self._line.pipeline_sync()
            results = self._connection.wait(_results(self._line, sent))
            self._line.exit_pipeline_mode()
        except BaseException:
            # Somewhere between two answers: nothing can be said any more.
            self._connection.close()
            _give_up(waiting)
            raise
        try:
            for result in results:
                self._checked(result)
        except psycopg.Error:
            for at, known in prepared.items():
                if results[at].status not in _WELL:
                    known.name = None  # it came behind what failed
            self._evicted += [
                name for at, name in enumerate(evicted) if results[at].status not in _WELL
            ]
            _give_up(waiting)
            raise
        for at, (known, answer) in awaited.items():
            answer.resolve(known.rows(results[at]))
        return results[-1]

    def _send(self, known: _Statement, values: Any) -> None:
        if known.name is None:
            known.was_run = True
            self._line.send_query_params(known.text, values, result_format=_BINARY)
        else:
            self._line.send_query_prepared(known.name, values, result_format=_BINARY)

    def _new_name(self) -> bytes:
        return f"{self._name}{next(self._numbers)}".encode()

    def _checked(self, result: Any) -> Any:
        if result.status in _WELL:
            return result
        if self._line.status == pq.ConnStatus.BAD:
            # Said by the library and not by the server: such an error has no code to tell its kind.
            raise psycopg.OperationalError(self._line.get_error_message())
        raise error_from_result(result)


def _begin(connection: "psycopg.Connection[Any]") -> str:
    """Return the statement that begins a transaction as the connection is set to."""
    words = ["BEGIN"]
    if connection.isolation_level is not None:
        words.append(f"ISOLATION LEVEL {connection.isolation_level.name.replace('_', ' ')}")
    if connection.read_only is not None:
        words.append("READ ONLY" if connection.read_only else "READ WRITE")
    if connection.deferrable is not None:
        words.append("DEFERRABLE" if connection.deferrable else "NOT DEFERRABLE")
    return " ".join(words)


def _give_up(waiting: list[_Waiting]) -> None:
    for _, _, answer in waiting:
        if answer is not None:
            answer.cancel()


def _results(line: Any, number: int) -> Any:
    """Send what is still to be sent, and return so many results, a statement each."""
    yield from send(line)
    results = []
    for _ in range(number):
        results += yield from fetch_many(line)
    yield from fetch_many(line)  # the end of the pipeline
    return results
