"""Two engines for one database: one for reads in AUTOCOMMIT, one for transactions that write.

A read spends no statements on BEGIN and COMMIT, keeps its prepared statements, and the database
itself refuses any write. On SQLite a transaction takes the write lock at BEGIN: one that reads
first and then waits for the lock fails under concurrent writers, whatever the timeout.
"""

import sqlite3
import time
from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.orm import Session, sessionmaker

from .executor import EXECUTOR, Executor
from .lock_waits import ATTEMPT_SECONDS, LockWaits
from .timeouts import Timeouts
from .wrap import Driver

_UNLIMITED_SECONDS = 10**6
_POLL_SECONDS = 0.01


class Database:
    """The engines of one database, each with its pool, and the executor above them."""

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 10,
        timeouts: Timeouts | None = None,
        driver: Driver = "pipeline",
    ) -> None:
        """Create the engines; they open no connection yet.

        url: an SQLAlchemy URL of an SQLite file, or of PostgreSQL by psycopg; pool_size: the
        connections that each pool keeps open; timeouts: None for the defaults; driver: how the
        executor's statements reach PostgreSQL.
        """
        timeouts = timeouts or Timeouts()
        self.url = make_url(url)
        create = _sqlite_engine if self.is_sqlite else partial(_postgresql_engine, driver)
        self.reads = create(url, pool_size, timeouts, read_only=True)
        self.writes = create(url, pool_size, timeouts, read_only=False)
        self.lock_waits = LockWaits(timeouts.long_lock_waits)
        self.executor = Executor(self.reads, self.lock_waits, driver)
        self.executor.attach_to(self.writes)
        self._limit_lock_waits(timeouts.lock)
        self.session: sessionmaker[Session] = sessionmaker(
            self.writes, autoflush=False, info={EXECUTOR: self.executor}
        )

    def _limit_lock_waits(self, timeout: float | None) -> None:
        def begin_immediate(connection: Connection, seconds: float | None) -> None:
            self.lock_waits.acquire_write_lock(
                lambda: _begin_immediate(connection), timeout, is_short=seconds is not None
            )

        limit = begin_immediate if self.is_sqlite else self.executor.limit_lock_waits
        self.lock_waits.attach_to(self.writes, limit)

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is an SQLite file."""
        return self.url.get_backend_name() == "sqlite"

    def dispose(self) -> None:
        """Close all connections."""
        self.executor.close()
        self.reads.dispose()
        self.writes.dispose()

    def reset_after_fork(self) -> None:
        """Replace the pools without closing their connections: the parent still uses them."""
        self.executor.reset_after_fork()
        self.reads.dispose(close=False)
        self.writes.dispose(close=False)


def _engine(
    url: str, pool_size: int, timeouts: Timeouts, *, read_only: bool, **options: Any
) -> Engine:
    if read_only:
        options |= {"isolation_level": "AUTOCOMMIT", "skip_autocommit_rollback": True}
    return create_engine(
        url,
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=timeouts.pool,
        # Logs and errors must not show what people typed, such as a password in the field of the
        # login, or private texts.
        hide_parameters=True,
        **options,
    )


def _sqlite_engine(url: str, pool_size: int, timeouts: Timeouts, *, read_only: bool) -> Engine:
    lock_timeout = _UNLIMITED_SECONDS if timeouts.lock is None else timeouts.lock
    arguments = {"timeout": lock_timeout, "check_same_thread": False}
    engine = _engine(url, pool_size, timeouts, read_only=read_only, connect_args=arguments)

    @event.listens_for(engine, "connect")
    def on_connect(connection: sqlite3.Connection, record: Any) -> None:
        # By default Python 3.11's sqlite3 begins transactions itself: late, and not IMMEDIATE.
        connection.isolation_level = None
        cursor = connection.cursor()
        _use_wal(cursor, lock_timeout)
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA temp_store = MEMORY")
        if read_only:
            cursor.execute("PRAGMA query_only = ON")
        else:
            # From here on, only BEGIN IMMEDIATE waits for a lock; `lock_waits` repeats it.
            cursor.execute(f"PRAGMA busy_timeout = {round(ATTEMPT_SECONDS * 1000)}")
        cursor.close()

    return engine


def _use_wal(cursor: sqlite3.Cursor, seconds: float) -> None:
    """Switch the file to write-ahead logging.

    SQLite does not wait for the lock that the first switch of a file takes, so this does.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(_POLL_SECONDS)
        else:
            return


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _postgresql_engine(
    driver: Driver, url: str, pool_size: int, timeouts: Timeouts, *, read_only: bool
) -> Engine:
    from .connect import attach  # psycopg is not installed where there is only SQLite

    # The connection used last: its server process has warm caches and prepared statements.
    engine = _engine(url, pool_size, timeouts, read_only=read_only, pool_use_lifo=True)
    attach(engine, timeouts, driver, read_only=read_only)
    return engine
