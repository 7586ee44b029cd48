"""How long anybody may wait for the database."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Timeouts:
    """The limits of waiting, in seconds; None: no limit.

    connect: until a connection to PostgreSQL is open; keepalive: of silence until TCP asks whether
    the other end is still there; tcp_user: until sent data is acknowledged by the other end's
    machine; lock: for a lock of PostgreSQL, or SQLite's write lock; read_lock: for a locked table
    of PostgreSQL, on a connection that only reads; statement: for one statement of PostgreSQL;
    idle_transaction: for the next statement of an open transaction; pool: for a connection of a
    full pool.

    long_lock_waits: how many transactions of a process may wait for a lock as long as `lock` says;
    all others wait half a second at most (`lock_waits`). None: all.
    """

    connect: int = 5
    keepalive: int | None = 30
    tcp_user: int | None = 10
    lock: float | None = 10
    read_lock: float | None = 0.5
    statement: float | None = None
    idle_transaction: float | None = None
    pool: float = 2
    long_lock_waits: int | None = None

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "Timeouts":
        """Return the limits that the settings `database.…` say."""
        return cls(
            connect=settings["database.connect_timeout_seconds"],
            keepalive=settings["database.tcp_keepalive_seconds"],
            tcp_user=settings["database.tcp_user_timeout_seconds"],
            lock=settings["database.lock_timeout_seconds"],
            read_lock=settings["database.read_lock_timeout_seconds"],
            statement=settings["database.statement_timeout_seconds"],
            idle_transaction=settings["database.idle_transaction_timeout_seconds"],
            pool=settings["database.pool_timeout_seconds"],
            long_lock_waits=settings["database.long_lock_waits"],
        )

    def for_commands(self) -> "Timeouts":
        """Return the limits for a command line: its statements may take hours."""
        return replace(
            self, read_lock=self.lock, statement=None, idle_transaction=None, long_lock_waits=None
        )
