"""The timeouts of the database."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

_COMMANDS_LOCK = 10.0


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds; None: no timeout.

    connect: for opening a connection to PostgreSQL; keepalive: of silence before a TCP keepalive
    probe; tcp_user: for the acknowledgement of sent data (TCP_USER_TIMEOUT); lock: for a lock of
    PostgreSQL, or SQLite's write lock; statement: for one statement of PostgreSQL;
    idle_transaction: for the next statement of an open transaction; pool: for a connection of an
    exhausted pool.
    """

    connect: int = 5
    keepalive: int | None = 30
    tcp_user: int | None = 10
    lock: float | None = 10
    statement: float | None = None
    idle_transaction: float | None = None
    pool: float = 2

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "Timeouts":
        """Return the timeouts of the settings `database.…`."""
        return cls(
            connect=settings["database.connect_timeout_seconds"],
            keepalive=settings["database.tcp_keepalive_seconds"],
            tcp_user=settings["database.tcp_user_timeout_seconds"],
            lock=settings["database.lock_timeout_seconds"],
            statement=settings["database.statement_timeout_seconds"],
            idle_transaction=settings["database.idle_transaction_timeout_seconds"],
            pool=settings["database.pool_timeout_seconds"],
        )

    def for_commands(self) -> "Timeouts":
        """Return the timeouts for commands, which have time and whose statements may take hours."""
        return replace(self, lock=_COMMANDS_LOCK, statement=None, idle_transaction=None)
