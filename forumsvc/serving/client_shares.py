"""What one client may have of a process: threads, and bytes of answers that it does not read."""

from collections import Counter, deque
from collections.abc import Callable
from functools import lru_cache
from math import inf
from threading import Lock
from typing import TYPE_CHECKING, Any

from waitress.task import ThreadedTaskDispatcher

from forumsvc.serving.proxy import TrustedProxy, normal_address
from forumsvc.text.ip_addresses import client_network

if TYPE_CHECKING:
    from forumsvc.serving.channel import Channel

MAX_UNREAD = 32 * 1024 * 1024
"""Bytes of answers to one client: six connections of a browser with pictures, not nine of pages."""
MAX_UNREAD_IN_ALL = 256 * 1024 * 1024
MAX_UNCOUNTED = 64 * 1024
"""Bytes that may wait at a connection without being counted: most answers have fewer."""
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
        self._by_channel: dict[Channel, tuple[Client, int]] = {}
        self._by_client: Counter[Client] = Counter()
        self._lock = Lock()

    def set(self, channel: "Channel", count: int) -> None:
        """Set how many bytes wait at a connection, for its present client."""
        with self._lock:
            self._add(*self._by_channel.pop(channel, (None, 0)))
            if count:
                self._by_channel[channel] = channel.client, -count
                self._add(channel.client, count)

    def _add(self, client: Client, count: int) -> None:
        self.in_all += count
        self.peak = max(self.peak, self.in_all)
        self._by_client[client] += count
        if not self._by_client[client]:
            del self._by_client[client]

    def is_too_much(self, client: Client) -> bool:
        """Return whether so much waits for a client that it gets no further answer."""
        return client is not None and self._by_client.get(client, 0) > MAX_UNREAD


class _Share:
    """What a client has: the requests that wait, how many run, and how many may."""

    __slots__ = ("allowed", "running", "waiting")

    def __init__(self, allowed: float) -> None:
        self.waiting: deque[Channel] = deque()
        self.running = 0
        self.allowed = allowed

    @property
    def is_idle(self) -> bool:
        return not self.waiting and not self.running


class FairQueue:
    """The requests that wait for a thread: each client's in their order, the clients in turn.

    A client begins with two threads and gets one more with each answer, until a large answer, or a
    refused one, takes all but one from it. The dispatcher's lock is held, but not at `finish`.
    """

    def __init__(self, threads: int, wake: Callable[[int], None]) -> None:
        """Hold no request yet. threads: of the dispatcher; wake: wakes so many of them."""
        self._wake = wake
        self._most = max(min(2, threads), threads - _FREE_FOR_OTHERS)
        self._shares: dict[Client, _Share] = {}
        self._turns: dict[Client, _Share] = {}
        self._waiting = 0
        # Threads that end a request do not wait for the lock; the next call counts them.
        self._finished: deque[tuple[Client, bool]] = deque()
        self._unnoticed = 0

    def __len__(self) -> int:
        return self._waiting

    def __bool__(self) -> bool:
        """Whether a request may be taken; others may wait."""
        while self._finished:
            self._count_finished(*self._finished.popleft())
        return self._next() is not None

    def append(self, channel: "Channel") -> None:
        """Add a request, by its connection."""
        share = self._shares.get(channel.client) or self._new_share(channel.client)
        if not share.waiting:
            self._turns[channel.client] = share
        share.waiting.append(channel)
        self._waiting += 1

    def popleft(self) -> "Channel":
        """Take the next request of the client whose turn it is; it runs until `finish`."""
        share = self._next() or next(iter(self._turns.values()))
        channel = share.waiting.popleft()
        self._waiting -= 1
        share.running += 1
        del self._turns[channel.client]
        if share.waiting:
            self._turns[channel.client] = share  # behind the others
        if self._unnoticed:
            if self._next() is not None:
                self._wake(self._unnoticed)
            self._unnoticed = 0
        return channel

    def _next(self) -> _Share | None:
        for share in self._turns.values():
            if share.running < share.allowed:
                return share
        return None

    def finish(self, client: Client, *, was_large: bool) -> None:
        """Count a request of a client as done. Thread-safe."""
        self._finished.append((client, was_large))

    def _count_finished(self, client: Client, was_large: bool) -> None:
        share = self._shares[client]
        share.running -= 1
        if client is not None:
            allowed = 1 if was_large else min(self._most, share.allowed + 1)
            # The thread that ended the request takes another one; nobody was woken for one more.
            self._unnoticed += allowed > share.allowed
            share.allowed = allowed

    def _new_share(self, client: Client) -> _Share:
        if len(self._shares) >= _MAX_KNOWN:
            self._shares = {one: it for one, it in self._shares.items() if not it.is_idle}
        share = self._shares[client] = _Share(inf if client is None else min(2, self._most))
        return share


class FairDispatcher(ThreadedTaskDispatcher):
    """waitress's threads, which take the requests of the clients in turn."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self.queue = FairQueue(threads, self.queue_cv.notify)
        self.finish = self.queue.finish
        self.set_thread_count(threads)

    def add_task(self, task: "Channel") -> None:
        """Add a request, and wake a thread if its client may have one more.

        One that wakes for nothing costs more than all the rest of the queue.
        """
        with self.lock:
            self.queue.append(task)
            if self.queue:
                self.queue_cv.notify()
