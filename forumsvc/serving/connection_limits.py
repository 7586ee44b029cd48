"""How many connections there may be: from one address, and altogether."""

import heapq
import ipaddress
import logging
import time
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from waitress.server import BaseWSGIServer

if TYPE_CHECKING:
    from forumsvc.serving.channel import Channel

log = logging.getLogger(__name__)

_EVICTED_SHARE = 50
"""Room is made for a fiftieth of the connections at once: looking for them costs a look at each."""
_IPV6_SITE = 64
"""Bits of an IPv6 address that tell one client's network from another's (RFC 6177)."""


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """Return whose address it is: an IPv4 address itself, the /64 of an IPv6 address."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if ip.version == 4:
        return str(ip)
    return str(ipaddress.ip_network((ip, _IPV6_SITE), strict=False))


class ConnectionLimits:
    """Lets connections in, and closes those that keep it waiting longest to make room.

    A connection whose request is being answered is never closed. The address of the trusted proxy
    and Unix sockets are not limited: behind them are all clients.
    """

    def __init__(self, listeners: list[BaseWSGIServer], adj: Any, per_address: int) -> None:
        """Count the connections of these listeners.

        adj: waitress's settings; per_address: the most from one address, 0 for no limit.
        """
        self._listeners = listeners
        self._map = listeners[0]._map
        self._most = adj.connection_limit
        self._trusted = adj.trusted_proxy
        self._per_address = per_address
        self._of_network: dict[str, dict[Channel, None]] = {}
        self._evicted: list[Channel] = []
        self._closed: Counter[str] = Counter()

    def admit(self, channel: "Channel") -> None:
        """Count a new connection; close others, or it where no other can be closed."""
        network = self._network(channel)
        if network is not None:
            members = self._of_network.setdefault(network, {})
            if len(members) >= self._per_address and not self._evict(members):
                self._closed["too many busy from one address"] += 1
                channel.refuse(429, "There are too many connections from this address.")
                return
            members[channel] = None
        # waitress counts its listeners, too, and stops to accept where there is no room.
        if len(self._map) >= self._most:
            channels = (one for each in self._listeners for one in each.active_channels.values())
            self._evict(channels)

    def remove(self, channel: "Channel") -> None:
        """Forget a connection that is closed."""
        network = self._network(channel)
        members = self._of_network.get(network, {}) if network is not None else {}
        members.pop(channel, None)
        if network is not None and not members:
            self._of_network.pop(network, None)

    def close_evicted(self) -> None:
        """Close those that make room, but for any whose request has come meanwhile.

        Between two turns of the loop: in one, the next connection could get a descriptor that the
        turn has events for.
        """
        for channel in self._evicted:
            if channel.connected and channel.waits_for_client:
                channel.handle_close()
                self._closed["oldest, to make room"] += 1
        self._evicted.clear()

    def check_times(self) -> None:
        """Close the connections whose client is too slow, and log how many were closed and why.

        Between two turns, too.
        """
        now = time.monotonic()
        for listener in self._listeners:
            for channel in [*listener.active_channels.values()]:
                if (what := channel.close_if_overdue(now)) is not None:
                    self._closed[f"slow {what}"] += 1
        if self._closed:
            reasons = ", ".join(f"{why}: {count}" for why, count in sorted(self._closed.items()))
            log.warning("Closed connections: %s", reasons)
            self._closed.clear()

    def _network(self, channel: "Channel") -> str | None:
        """Return whose connections are counted with this one, or None where none are."""
        host, port = channel.addr[:2]
        if not self._per_address or port is None or self._trusted in ("*", host):
            return None
        return network_of(host)

    def _evict(self, channels: Iterable["Channel"]) -> bool:
        """Choose those that wait longest for their clients; tell whether there are any."""
        waiting = [one for one in channels if one.waits_for_client]
        share = max(1, len(waiting) // _EVICTED_SHARE)
        longest = heapq.nsmallest(share, waiting, key=lambda one: one.times.waiting_since)
        self._evicted += longest
        return bool(longest)
