"""Writes down what this host is like, for `forumsvc doctor`, and changed settings."""

from collections.abc import Mapping

from .. import clock
from ..db.engine import Database
from ..services import hosts
from ..services.hosts import Facts
from ..services.moderation import settings_log


class HostReport:
    """Writes the row of this host; each worker does so."""

    def __init__(
        self, database: Database, facts: Facts, secret: str, settings: Mapping[str, str]
    ) -> None:
        """secret: `session.secret`, of which a salted digest is stored; settings: those that are
        not the default, for the log, secrets masked.
        """
        self._settings = settings
        self._database = database
        self._facts = facts
        self._secret = secret
        self._is_start = True

    def run(self) -> None:
        """Write the row of this host; the first time also log which settings have changed."""
        offset = hosts.clock_offset(self._database.executor)
        with self._database.session.begin() as db:
            hosts.report(db, self._facts, self._secret, offset, is_start=self._is_start)
            if self._is_start:
                settings_log.record_changes(db, clock.now(), self._facts.name, self._settings)
        self._is_start = False
