"""Which connections are closed to make room for others."""

from types import SimpleNamespace
from typing import Any

from forumsvc.serving.connection_limits import ConnectionLimits
from forumsvc.serving.proxy import TrustedProxy

LIMIT = 4


class Connection:
    connected = True
    waits_for_client = True

    def __init__(self, listener: Any, since: float) -> None:
        self.addr = ("192.0.2.1", 5)
        self.times = SimpleNamespace(waiting_since=since)
        self.listener = listener
        listener.active_channels[self] = listener._map[self] = self

    def handle_close(self) -> None:
        self.connected = False
        del self.listener.active_channels[self], self.listener._map[self]

    def close_if_overdue(self, now: float) -> None:
        return None


def test_room_is_made_later_where_all_that_were_to_be_closed_became_busy():
    listener: Any = SimpleNamespace(_map={}, active_channels={})
    adj = SimpleNamespace(connection_limit=LIMIT)
    limits = ConnectionLimits([listener], adj, 0, TrustedProxy("127.0.0.1"))
    oldest, *others = (Connection(listener, since) for since in range(LIMIT))
    limits.admit(others[-1])  # type: ignore[arg-type]
    oldest.waits_for_client = False
    limits.close_marked()
    assert len(listener._map) == LIMIT
    limits.check_times()
    limits.close_marked()
    assert [it.connected for it in (oldest, *others)] == [True, False, True, True]
