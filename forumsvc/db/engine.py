"""Two engines for one database: one for reads in AUTOCOMMIT, one for transactions that write.

A read spends no statements on BEGIN and COMMIT, keeps its prepared statements, and the database
itself refuses any write. On SQLite a transaction takes the write lock at BEGIN: one that reads
first and then waits for the lock fails under concurrent writers, whatever the timeout.
"""

import sqlite3
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, sessionmaker

from .connection_options import ConnectionOptions
from .executor import EXECUTOR, Executor
from .failures import is_of_no_use

_UNLIMITED_SECONDS = 10**6
_POLL_SECONDS = 0.01
_ATTEMPT_SECONDS = 0.05
"""The busy timeout of one attempt to take SQLite's write lock."""


class Database:
    """The engines of one database, each with its pool, and the executor above them."""

    def __init__(self, url: str, options: ConnectionOptions | None = None) -> None:
        """Create the engines; they open no connection yet.

        url: an SQLAlchemy URL of an SQLite file, or of PostgreSQL by psycopg; options: None for the
        defaults.
        """
        self.options = options = options or ConnectionOptions()
        self.url = make_url(url)
        self.reads = self.create_read_engine()
        self.writes = _create_engine(url, options, read_only=False)
        self.executor = Executor(self.reads, options)
        self.session: sessionmaker[Session] = sessionmaker(
            self.writes, autoflush=False, info={EXECUTOR: self.executor}
        )

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is an SQLite file."""
        return self.url.get_backend_name() == "sqlite"

    def create_read_engine(
        self, options: ConnectionOptions | None = None, **engine_options: Any
    ) -> Engine:
        """Return an engine in AUTOCOMMIT, on which the database itself refuses writes.

        options: None for those of this database; engine_options: of SQLAlchemy's engine.
        """
        options = options or self.options
        url = self.url.render_as_string(hide_password=False)
        return _create_engine(url, options, read_only=True, **engine_options)

    def leave_wal(self) -> None:
        """Let the next transaction write each page of an SQLite file once; not if others use it.

        For one that writes nearly all of a large file: the WAL would have each page a second time,
        and a page is found in it the slower, the longer it is. The next connection that is opened
        switches the file back. Nothing happens on PostgreSQL.
        """
        if not self.is_sqlite:
            return
        self.reads.dispose()
        self.writes.dispose()
        connection = self.writes.raw_connection()
        try:
            connection.cursor().execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        finally:
            connection.close()  # into the pool, which gives it to the next transaction

    def dispose(self) -> None:
        """Close all connections, those of the executor too; the next use opens new ones."""
        self.executor.close()
        self.reads.dispose()
        self.writes.dispose()

    def reset_after_fork(self) -> None:
        """Replace the pools without closing their connections: the parent still uses them."""
        self.executor.reset_after_fork()
        self.reads.dispose(close=False)
        self.writes.dispose(close=False)


def _create_engine(
    url: str, options: ConnectionOptions, *, read_only: bool, **engine_options: Any
) -> Engine:
    if make_url(url).get_backend_name() == "sqlite":
        return _sqlite_engine(url, options, read_only=read_only, **engine_options)
    return _postgresql_engine(url, options, read_only=read_only, **engine_options)


def _engine(
    url: str, options: ConnectionOptions, *, read_only: bool, **engine_options: Any
) -> Engine:
    if read_only:
        engine_options |= {"isolation_level": "AUTOCOMMIT", "skip_autocommit_rollback": True}
    return create_engine(
        url,
        pool_size=options.pool_size,
        max_overflow=options.pool_size,
        pool_timeout=options.timeouts.pool,
        # Logs and errors must not show what people typed, such as a password in the field of the
        # login, or private texts.
        hide_parameters=True,
        **engine_options,
    )


def _sqlite_engine(
    url: str, options: ConnectionOptions, *, read_only: bool, **engine_options: Any
) -> Engine:
    timeout = options.timeouts.lock
    lock_timeout = _UNLIMITED_SECONDS if timeout is None else timeout
    arguments = {"timeout": lock_timeout, "check_same_thread": False}
    engine = _engine(url, options, read_only=read_only, connect_args=arguments, **engine_options)

    @event.listens_for(engine, "connect")
    def on_connect(connection: sqlite3.Connection, record: Any) -> None:
        # By default Python 3.11's sqlite3 begins transactions itself: late, and not IMMEDIATE.
        connection.isolation_level = None
        cursor = connection.cursor()
        # SQLite does not wait for the lock that the first switch of a file takes.
        _while_locked(lock_timeout, lambda: cursor.execute("PRAGMA journal_mode = WAL"))
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA temp_store = MEMORY")
        if read_only:
            cursor.execute("PRAGMA query_only = ON")
        else:
            # From here on, only BEGIN IMMEDIATE waits for a lock.
            cursor.execute(f"PRAGMA busy_timeout = {round(_ATTEMPT_SECONDS * 1000)}")
        cursor.close()

    if not read_only:

        @event.listens_for(engine, "begin")
        def on_begin(connection: Connection) -> None:
            # SQLite serves those who wait in no order, and looks ever more seldom; so, again.
            _while_locked(lock_timeout, lambda: connection.exec_driver_sql("BEGIN IMMEDIATE"))

    return engine


def _while_locked(seconds: float, act: Callable[[], object]) -> None:
    """Repeat what fails because others hold a lock of the file, until it succeeds or time is up."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            act()
            return
        except (OperationalError, sqlite3.OperationalError) as error:
            code = getattr(getattr(error, "orig", error), "sqlite_errorcode", 0)
            if code & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(_POLL_SECONDS)


def _postgresql_engine(
    url: str, options: ConnectionOptions, *, read_only: bool, **engine_options: Any
) -> Engine:
    from .connect import attach  # psycopg is not installed where there is only SQLite

    # The connection used last: its server process has warm caches and prepared statements.
    engine_options = {
        "pool_use_lifo": True,
        "pool_recycle": options.max_age_seconds or -1,
        **engine_options,
    }
    engine = _engine(url, options, read_only=read_only, **engine_options)
    attach(engine, options, read_only=read_only)

    @event.listens_for(engine, "handle_error")
    def on_error(context: ExceptionContext) -> None:
        if is_of_no_use(context.original_exception):
            context.is_disconnect = True

    return engine
