"""Remembers behind the request when a session was last used, and from which network."""

from datetime import datetime, timedelta
from functools import cache
from time import monotonic
from typing import Any

from sqlalchemy import Update, bindparam

from ..db.base import BigId, UtcDateTime
from ..db.deferred_writes import DeferredWrites
from ..db.statements import update_of
from ..models import BrowserSession
from ..text.ip_addresses import wide_network

_EVERY = timedelta(hours=1)
"""A session that is in use is written no more often."""
_CHUNK = 100
"""The most sessions that one transaction writes."""

_Use = tuple[datetime, str]
"""When, and the network."""


class SessionUses(DeferredWrites[int, _Use]):
    """Writes the last use of sessions, by their ids."""

    name = "session-uses"
    words = "which sessions are used"

    def used(self, session: Any, address: str, now: datetime) -> None:
        """Note that a session is used, unless that was noted within the hour.

        session: the row of `browser_sessions.find`; address: the client's.
        """
        if session.last_used_at is None or session.last_used_at <= now - _EVERY:
            self._add(session.session_id, (now, wide_network(address)))

    def _merge(self, former: _Use, value: _Use) -> _Use:
        return max(former, value)

    def _write(self, waiting: dict[int, _Use], until: float) -> None:
        ids = sorted(waiting)
        for first in range(0, len(ids), _CHUNK):
            if monotonic() >= until:
                return
            chunk = ids[first : first + _CHUNK]
            with self._database.session.begin() as db:
                for session_id in chunk:
                    at, network = waiting[session_id]
                    db.execute(_update(), {"session_id": session_id, "at": at, "network": network})
            for session_id in chunk:
                del waiting[session_id]


@cache
def _update() -> Update:
    """Return the UPDATE of a session, of which nothing is left where it has ended."""
    used = {"last_used_at": bindparam("at", type_=UtcDateTime), "network": bindparam("network")}
    matches = BrowserSession.id == bindparam("session_id", type_=BigId)
    return update_of(BrowserSession).where(matches).values(used)
