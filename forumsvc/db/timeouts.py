"""The timeouts of the database."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds; None: no timeout.

    connect: for opening a connection to PostgreSQL; keepalive: of silence before a TCP keepalive
    probe; tcp_user: for the acknowledgement of sent data (TCP_USER_TIMEOUT); lock: for a lock of
    PostgreSQL, or SQLite's write lock; read_lock: for a locked table of PostgreSQL, on a read-only
    connection; statement: for one statement of PostgreSQL; idle_transaction: for the next
    statement of an open transaction; pool: for a connection of an exhausted pool.

    long_lock_waits: the number of transactions of a process that may wait for a lock as long as
    `lock`; all others wait half a second at most (`lock_waits`). None: all.
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
        """Return the timeouts of the settings `database.…`."""
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
        """Return the timeouts for commands, whose statements may take hours."""
        return replace(
            self, read_lock=self.lock, statement=None, idle_transaction=None, long_lock_waits=None
        )
