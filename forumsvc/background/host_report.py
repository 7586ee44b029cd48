"""A task that writes down what this host is like, for `forumsvc doctor`."""

from ..db.engine import Database
from ..services import hosts
from ..services.hosts import Facts


class HostReport:
    """Writes the row of this host, once a minute; each host does so, without a lease."""

    name = "host-report"
    interval = hosts.INTERVAL_SECONDS
    needs_lease = False

    def __init__(self, database: Database, facts: Facts, secret: str) -> None:
        """secret: `session.secret`, of which a salted digest is stored."""
        self._database = database
        self._facts = facts
        self._secret = secret
        self._is_start = True

    def run(self) -> bool:
        """Write the row; there is never more to do."""
        offset = hosts.clock_offset(self._database.executor)
        with self._database.session.begin() as db:
            hosts.report(db, self._facts, self._secret, offset, is_start=self._is_start)
        self._is_start = False
        return False
