"""How the connections of a database are opened."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .timeouts import Timeouts


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """How connections are opened.

    pool_size: the connections that each pool keeps open; pooler: whether a PgBouncer is in between;
    max_age_seconds: older connections are replaced by new ones before their next use, None: never.
    """

    pool_size: int = 10
    timeouts: Timeouts = field(default_factory=Timeouts)
    pooler: bool = False
    max_age_seconds: float | None = None

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "ConnectionOptions":
        """Return the options of the settings, for the service."""
        return cls(
            pool_size=settings["sqlalchemy.pool_size"],
            timeouts=Timeouts.from_settings(settings),
            pooler=settings["sqlalchemy.pooler"],
            max_age_seconds=settings["database.max_age_seconds"],
        )

    def for_commands(self) -> "ConnectionOptions":
        """Return the options for commands, which connect to PostgreSQL itself."""
        return replace(self, pool_size=1, timeouts=self.timeouts.for_commands(), pooler=False)
