"""Counting the SQL statements of a request."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import event

from forumsvc.db.engine import Database
from tests.functional.forum import Caller, Forum


@dataclass
class Statements:
    """The statements that were sent during `counting`."""

    texts: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)


@contextmanager
def counting(database: Database) -> Iterator[Statements]:
    """Count the statements on both engines, without BEGIN."""
    seen = Statements()

    def note(conn: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if not statement.startswith("BEGIN"):
            seen.texts.append(statement)

    def note_short(statement: str, values: Any) -> None:
        seen.texts.append(statement)

    engines = (database.reads, database.writes)
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    database.executor.query_listeners.append(note_short)
    try:
        yield seen
    finally:
        database.executor.query_listeners.remove(note_short)
        for engine in engines:
            event.remove(engine, "before_cursor_execute", note)


def of_search(forum: Forum, caller: Caller, path: str, query: str) -> list[str]:
    """Return the statements of a search, which has connections of its own and must succeed."""
    seen: list[str] = []

    def note(conn: Any, cursor: Any, statement: str, *rest: Any) -> None:
        seen.append(statement)

    engine = forum.registry.search_reads._engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        answer = caller.get(path, q=query)
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert answer.status_int == 200, answer.text
    return seen


def of_request(forum: Forum, caller: Caller, method: str, path: str, **params: Any) -> Statements:
    """Return the statements of a request, which must succeed."""
    with counting(forum.registry.database) as seen:
        answer = caller.call(method, path, params)
    assert answer.status_int in (200, 201), answer.text
    return seen
