"""How the connections of a database are opened, and the timeouts of the database."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """How connections are opened.

    pool_size: the connections that each pool keeps open; pooler: whether a PgBouncer is in between;
    max_age_seconds: older connections are replaced by new ones before their next use, None: never.
    """

    pool_size: int = 8
    timeouts: Timeouts = field(default_factory=Timeouts)
    pooler: bool = False
    max_age_seconds: float | None = None

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "ConnectionOptions":
        return cls(
            pool_size=settings["sqlalchemy.pool_size"],
            timeouts=Timeouts.from_settings(settings),
            pooler=settings["sqlalchemy.pooler"],
            max_age_seconds=settings["database.max_age_seconds"],
        )

    def for_commands(self) -> "ConnectionOptions":
        """Return the options for commands, which connect to PostgreSQL itself."""
        return replace(self, pool_size=1, timeouts=self.timeouts.for_commands(), pooler=False)
