"""A hook that fails what works slowly while it holds locks: a hash, a rendering, an image."""

import functools
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from forumsvc.db.executor import Executor
from forumsvc.media import images
from forumsvc.process import passwords
from forumsvc.sandbox import SandboxPool

_LOCKS = re.compile(
    r"\s*(BEGIN IMMEDIATE|INSERT|UPDATE|DELETE)\b|.*\bFOR (NO KEY )?UPDATE\b", re.DOTALL
)


@contextmanager
def slow_work_is_refused_under_locks() -> Iterator[None]:
    """Fail a thread that begins such work in a transaction that has locked something.

    On SQLite a transaction that may write locks the file when it begins.
    """
    holder = threading.local()

    def refuse(work: str) -> None:
        since = getattr(holder, "statement", None)
        assert since is None, f"{work} while a lock is held since {str(since)[:200]!r}"

    def note(connection: Connection, statement: Any) -> None:
        if getattr(holder, "statement", None) is None:
            holder.connection, holder.statement = connection, statement

    def on_execute(connection: Connection, cursor: Any, text: str, *_: Any) -> None:
        if _LOCKS.match(text):
            note(connection, text)

    def on_end(connection: Connection) -> None:
        if getattr(holder, "connection", None) is connection:
            holder.connection = holder.statement = None

    def guarded(function: Callable[..., Any], work: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*given: Any, **named: Any) -> Any:
            refuse(work)
            return function(*given, **named)

        return run

    rows_in = Executor.rows_in

    def noted(self: Executor, db: Any, statement: Any, values: Any) -> Any:
        is_locking = statement.is_dml or statement._for_update_arg is not None
        if is_locking and self.dialect.name != "sqlite":
            note(db.connection(), statement)
        return rows_in(self, db, statement, values)

    listeners: dict[str, Callable[..., None]] = {
        "before_cursor_execute": on_execute,
        "commit": on_end,
        "rollback": on_end,
    }
    for name, listener in listeners.items():
        event.listen(Engine, name, listener)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_run", guarded(passwords._run, "a password is hashed"))
        patch.setattr(SandboxPool, "run", guarded(SandboxPool.run, "a text is rendered"))
        patch.setattr(images, "_run_worker", guarded(images._run_worker, "an image is decoded"))
        patch.setattr(Executor, "rows_in", noted)
        yield
    for name, listener in listeners.items():
        event.remove(Engine, name, listener)
