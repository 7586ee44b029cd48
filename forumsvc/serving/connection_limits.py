"""Limits the number of connections: from one address, and in total."""

import heapq
import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from waitress.server import BaseWSGIServer

from forumsvc.serving.proxy import TrustedProxy
from forumsvc.text.ip_addresses import client_network

if TYPE_CHECKING:
    from forumsvc.serving.channel import Channel

log = logging.getLogger(__name__)

_CLOSED_FRACTION = 50
"""A fiftieth of the connections is closed at once, because choosing them costs a look at each."""


_network_of = lru_cache(4096)(client_network)


class ConnectionLimits:
    """Admits connections; of too many, closes those that wait longest for their client.

    A connection whose request is being answered is never closed. The address of the trusted proxy
    and Unix sockets are not limited: they carry the requests of all clients.
    """

    def __init__(
        self,
        listeners: list[BaseWSGIServer],
        adj: Any,
        per_address: int,
        trusted_proxy: TrustedProxy,
    ) -> None:
        """Count the connections of these listeners.

        adj: waitress's settings; per_address: the limit for one address, 0 for none;
        trusted_proxy: whose connections are not limited.
        """
        self._listeners = listeners
        self._map = listeners[0]._map
        self._max_connections = adj.connection_limit
        self._trusted = trusted_proxy
        self._per_address = per_address
        self._channels_by_network: dict[str, dict[Channel, None]] = {}
        self._to_close: list[Channel] = []
        self._closed_counts: Counter[str] = Counter()

    def admit(self, channel: "Channel") -> None:
        """Count a new connection; close others, or this one if no other can be closed."""
        network = self._network(channel)
        if network is not None:
            members = self._channels_by_network.setdefault(network, {})
            if len(members) >= self._per_address and not self._mark_for_closing(members):
                self._closed_counts["too many busy from one address"] += 1
                channel.refuse(429, "There are too many connections from this address.")
                return
            members[channel] = None
        # waitress counts its listeners, too, and stops accepting at its limit.
        self._make_room()

    def _make_room(self) -> None:
        if len(self._map) >= self._max_connections:
            self._mark_for_closing(self._all())

    def _all(self) -> Iterator["Channel"]:
        for listener in self._listeners:
            yield from listener.active_channels.values()

    def remove(self, channel: "Channel") -> None:
        """Stop counting a connection that is closed."""
        network = self._network(channel)
        members = self._channels_by_network.get(network, {}) if network is not None else {}
        members.pop(channel, None)
        if network is not None and not members:
            self._channels_by_network.pop(network, None)

    def close_slow_readers(self) -> None:
        """Mark those that take longest to read an answer; `close_marked` closes them."""
        self._mark_for_closing(channel for channel in self._all() if channel.total_outbufs_len)

    def close_marked(self) -> None:
        """Close the marked connections, except those whose request has arrived meanwhile.

        Call it between two iterations of the loop: within one, the next connection could get the
        descriptor of a closed one, for which the iteration still has events.
        """
        for channel in self._to_close:
            if channel.connected and channel.waits_for_client:
                channel.handle_close()
                self._closed_counts["oldest, to make room"] += 1
        self._to_close.clear()

    def check_times(self) -> None:
        """Close the connections whose client is too slow, and log how many were closed and why.

        Call it between two iterations of the loop.
        """
        now = time.monotonic()
        for channel in [*self._all()]:
            if (reason := channel.close_if_overdue(now)) is not None:
                self._closed_counts[f"slow {reason}"] += 1
        # Those that were marked at the last new connection may all have sent a request since.
        self._make_room()
        if self._closed_counts:
            reasons = ", ".join(
                f"{why}: {count}" for why, count in sorted(self._closed_counts.items())
            )
            log.warning("Closed connections: %s", reasons)
            self._closed_counts.clear()

    def _network(self, channel: "Channel") -> str | None:
        """Return the network that a connection counts for, or None if it is not limited."""
        host, port = channel.addr[:2]
        if not self._per_address or port is None or host in self._trusted:
            return None
        return _network_of(host)

    def _mark_for_closing(self, channels: Iterable["Channel"]) -> bool:
        """Mark those that wait for their clients longest; return whether there are any."""
        waiting = [channel for channel in channels if channel.waits_for_client]
        share = max(1, len(waiting) // _CLOSED_FRACTION)
        longest = heapq.nsmallest(share, waiting, key=lambda one: one.times.waiting_since)
        self._to_close += longest
        return bool(longest)
