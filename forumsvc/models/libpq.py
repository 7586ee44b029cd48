"""PostgreSQL's own calls: a statement prepared once, rows in their binary form.

The driver's cursors are made to wait for anything in any way, which costs a small statement more
than its rows do. Only the steps are others here: values are adapted by the driver, errors are its.
"""

from collections.abc import Mapping
from itertools import count
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result

MOST_PREPARED = 256
_BINARY = pq.Format.BINARY
_WELL = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)


class _Statement:
    """A statement that was run. name: as which it is prepared, None until it is run again."""

    __slots__ = ("adapter", "formats", "name", "order", "text")

    def __init__(self, text: str, names: list[str], connection: "psycopg.Connection[Any]") -> None:
        self.order = names
        self.text = (text % {name: f"${at}" for at, name in enumerate(names, 1)}).encode()
        self.formats = [PyFormat.TEXT] * len(names)
        self.adapter: Any = Transformer(connection)
        self.name: bytes | None = None


class Libpq:
    """Runs statements on a connection of psycopg, whose `prepare_threshold` must be None.

    With statements of its own the driver would at a rollback drop those of here.
    """

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        """Take the connection."""
        self._connection = connection
        self._line = connection.pgconn
        self._begins = not connection.autocommit
        self._known: dict[str, _Statement] = {}
        self._numbers = count()

    def fetch(self, text: str, filling: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows. Raises psycopg.Error.

        text: with placeholders of the form `%(name)s`; filling: their values. A transaction is
        begun where none is and the connection is not in AUTOCOMMIT; the driver ends it.
        """
        line = self._line
        if self._begins and line.transaction_status == pq.TransactionStatus.IDLE:
            self._checked(line.exec_(b"BEGIN"))
        known = self._known.get(text)
        if known is None:
            result, adapter = self._first(text, filling)
        else:
            result, adapter = self._again(known, filling), known.adapter
        self._checked(result)
        if result.status == pq.ExecStatus.COMMAND_OK:
            return []
        adapter.set_pgresult(result)
        rows: list[tuple[Any, ...]] = adapter.load_rows(0, result.ntuples, tuple)
        adapter.set_pgresult(None)  # or the answer would be kept as long as the statement
        return rows

    def _first(self, text: str, filling: Mapping[str, Any]) -> tuple[Any, Any]:
        known = _Statement(text, list(filling), self._connection)
        values = _values(known, filling)
        result = self._line.exec_params(known.text, values, result_format=_BINARY)
        if len(self._known) >= MOST_PREPARED:
            self._line.exec_(b"DEALLOCATE ALL")
            self._known.clear()
        self._known[text] = known
        return result, known.adapter

    def _again(self, known: _Statement, filling: Mapping[str, Any]) -> Any:
        if known.name is None:
            name = b"gateway_%d" % next(self._numbers)
            self._checked(self._line.prepare(name, known.text))
            known.name = name
        return self._line.exec_prepared(known.name, _values(known, filling), result_format=_BINARY)

    def _checked(self, result: Any) -> None:
        if result.status in _WELL:
            return
        if self._line.status == pq.ConnStatus.BAD:
            # Said by the library and not by the server: such an error has no code to tell its kind.
            raise psycopg.OperationalError(self._line.get_error_message())
        raise error_from_result(result)


def _values(known: _Statement, filling: Mapping[str, Any]) -> Any:
    if not known.order:
        return None
    return known.adapter.dump_sequence([filling[name] for name in known.order], known.formats)
