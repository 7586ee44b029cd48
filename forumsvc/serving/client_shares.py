"""What one client may have of a process: threads, and bytes of answers that it does not read."""

import ctypes
from collections import Counter, deque
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from waitress.task import ThreadedTaskDispatcher

from forumsvc.ip_addresses import client_network
from forumsvc.serving.proxy import TrustedProxy, normal_address

if TYPE_CHECKING:
    from forumsvc.serving.channel import Channel

MAX_UNREAD = 32 * 1024 * 1024
"""Bytes of answers to one client: six connections of a browser with pictures, not nine of pages."""
MAX_UNREAD_IN_ALL = 256 * 1024 * 1024
LARGE_ANSWER = 1024 * 1024
_MAX_KNOWN = 4096
_FREE_FOR_OTHERS = 2
"""Threads that no single client gets, where there are more than three."""

Client = str | None
"""The network that counts as one client; None where a proxy does not say whose request it is."""

_network_of = lru_cache(_MAX_KNOWN)(client_network)


def client_of(address: tuple[Any, ...], hops: str, adj: Any, trusted: TrustedProxy) -> Client:
    """Return whose request came from an address.

    hops: the request's X-Forwarded-For; adj: waitress's settings; trusted: who is believed.
    """
    host, port = address[:2]
    if host not in trusted and port is not None:
        return _network_of(host)
    if not hops or "x-forwarded-for" not in adj.trusted_proxy_headers:
        return None
    named = hops.split(",")[-(adj.trusted_proxy_count or 1) :]
    return _network_of(normal_address(named[0]))


class UnreadBytes:
    """How many bytes of answers wait for their readers, of each client and in all. Thread-safe.

    peak: the most in all since somebody last set it.
    """

    def __init__(self) -> None:
        self.in_all = self.peak = 0
        self._by_client: Counter[Client] = Counter()
        self._lock = Lock()

    def add(self, client: Client, count: int) -> None:
        """Count more bytes, or fewer."""
        if not count:
            return
        with self._lock:
            self.in_all += count
            self.peak = max(self.peak, self.in_all)
            self._by_client[client] += count
            if not self._by_client[client]:
                del self._by_client[client]

    def is_too_much(self, client: Client) -> bool:
        """Return whether so much waits for a client that it gets no further answer."""
        return client is not None and self._by_client[client] > MAX_UNREAD


class FairQueue:
    """The requests that wait for a thread: each client's in their order, the clients in turn.

    A client begins with two threads and gets one more with each answer, until a large answer, or a
    refused one, takes all but one from it. The dispatcher's lock is held at every call.
    """

    def __init__(self, threads: int) -> None:
        self._most = max(min(2, threads), threads - _FREE_FOR_OTHERS)
        self._waiting: dict[Client, deque[Channel]] = {}
        self._running: Counter[Client] = Counter()
        self._allowed: dict[Client, int] = {}

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def __bool__(self) -> bool:
        """Whether a request may be taken; others may wait."""
        return any(map(self._may_run, self._waiting))

    def append(self, channel: "Channel") -> None:
        """Add a request, by its connection."""
        self._waiting.setdefault(channel.client, deque()).append(channel)

    def popleft(self) -> "Channel":
        """Take the next request of the client whose turn it is; it runs until `finish`."""
        client = next(filter(self._may_run, self._waiting), next(iter(self._waiting)))
        requests = self._waiting.pop(client)
        channel = requests.popleft()
        if requests:
            self._waiting[client] = requests  # behind the others
        self._running[client] += 1
        return channel

    def finish(self, client: Client, *, was_large: bool) -> None:
        """Count a request of a client as done."""
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]
        if len(self._allowed) > _MAX_KNOWN:
            self._allowed.clear()
        more = min(self._most, self._allowed.get(client, 2) + 1)
        self._allowed[client] = 1 if was_large else more

    def _may_run(self, client: Client) -> bool:
        allowed = min(self._most, self._allowed.get(client, 2))
        return client is None or self._running[client] < allowed


class FairDispatcher(ThreadedTaskDispatcher):
    """waitress's threads, which take the requests of the clients in turn."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self.queue = FairQueue(threads)
        self.set_thread_count(threads)

    def finish(self, client: Client, *, was_large: bool) -> None:
        """Count a request of a client as done."""
        with self.lock:
            self.queue.finish(client, was_large=was_large)


def return_memory() -> None:
    """Give what was freed back to the system (glibc); large answers leave much."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
