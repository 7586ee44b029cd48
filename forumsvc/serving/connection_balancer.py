"""Balances connections among the workers that listen on one socket.

The system wakes all workers for a new connection, and the one that is awake already accepts it.
Without balancing, one worker accepts most of the connections that arrive together and keeps them.
"""

import mmap
import select
import time
from collections.abc import Callable
from functools import partial

from waitress.server import BaseWSGIServer

PAUSE_SECONDS = 0.01
"""How long a worker leaves a pending connection to those with fewer: ample for one that runs."""
FAILURE_PAUSE_SECONDS = 0.1
"""How long a worker that cannot accept leaves pending connections to the others."""
PAUSED_POLL_SECONDS = 0.001
"""How often a pausing worker checks whether it may accept again."""
IDLE_SECONDS = 2.0
"""Seconds without a request after which a connection no longer counts as load."""
IDLE_COUNT_SECONDS = 0.5
"""Seconds between two counts of the idle connections."""


class ConnectionCounts:
    """The number of connections of each worker, in shared memory.

    Create it before the fork. Workers are numbered from 1.
    """

    _RETIRED = 2**62

    def __init__(self, processes: int) -> None:
        self._counts = memoryview(mmap.mmap(-1, 8 * processes)).cast("q")
        for number in range(1, processes + 1):
            self.retire(number)

    def publish(self, number: int, connections: int) -> None:
        """Publish how many connections a worker has."""
        self._counts[number - 1] = connections

    def retire(self, number: int) -> None:
        """Exclude a worker that accepts nothing: it has not started, is full, or has ended."""
        self._counts[number - 1] = self._RETIRED

    def lowest(self) -> int:
        """Return the smallest count among the workers that accept connections."""
        return min(self._counts.tolist())


class Balancer:
    """The balancing of one worker: it pauses accepting while another worker has fewer connections.

    A pause is short, so that a client never waits long for another worker that hangs. A pausing
    worker publishes one connection more than it has until it checks again; otherwise two workers
    could wait for each other all the time while connections come and go.
    """

    def __init__(
        self, counts: ConnectionCounts, number: int, listeners: list[BaseWSGIServer]
    ) -> None:
        self._counts = counts
        self._number = number
        self._listeners = listeners
        self._paused_until: float | None = None
        self._pause_expired = False
        self._failed = False
        self._had_pending = False
        self._accepting = False
        self._idle = 0
        self._count_at = 0.0
        for listener in listeners:
            listener.readable = partial(self._readable, listener.readable)
            listener.handle_accept = partial(self._handle_accept, listener, listener.handle_accept)

    def before_poll(self, timeout: float) -> float:
        """Publish this worker's count and decide whether it accepts during the next poll.

        timeout: the seconds that the poll may wait. Returns the same or less.
        """
        now = time.monotonic()
        held = self._count_active(now)
        if self._accepting and not self._had_pending:
            self._pause_expired = False
        if self._paused_until is not None:
            self._pause_expired = now >= self._paused_until
            if self._pause_expired or (not self._failed and held <= self._counts.lowest()):
                self._paused_until = None
                self._failed = False
        self._had_pending = False
        self._accepting = self._paused_until is None
        if self._failed or not self._listeners[0].accepting:
            self._counts.retire(self._number)
        else:
            self._counts.publish(self._number, held if self._accepting else held + 1)
        return timeout if self._accepting else min(timeout, PAUSED_POLL_SECONDS)

    def _count_active(self, now: float) -> int:
        """Return how many connections there are, without the idle ones."""
        if now >= self._count_at:
            self._count_at = now + IDLE_COUNT_SECONDS
            before = time.time() - IDLE_SECONDS
            self._idle = sum(
                channel.last_activity < before and not channel.busy
                for listener in self._listeners
                for channel in listener.active_channels.values()
            )
        return max(
            0, sum(len(listener.active_channels) for listener in self._listeners) - self._idle
        )

    def _readable(self, readable: Callable[[], bool]) -> bool:
        """Return whether to poll the listener (replaces waitress's `readable`)."""
        if readable():
            return self._accepting
        self._counts.retire(self._number)  # It has reached its connection limit.
        return False

    def _handle_accept(self, listener: BaseWSGIServer, accept: Callable[[], None]) -> None:
        """Accept a pending connection, or pause (replaces waitress's `handle_accept`).

        After a pause in which no other worker accepted, it accepts until nothing is pending.
        """
        self._had_pending = True
        if self._paused_until is not None:
            return  # another listener had a pending connection in the same poll
        now = time.monotonic()
        if not self._pause_expired and (held := self._count_active(now)) > self._counts.lowest():
            self._paused_until = now + PAUSE_SECONDS
            self._counts.publish(self._number, held + 1)
            return
        before = len(listener.active_channels)
        accept()
        if len(listener.active_channels) > before:
            self._counts.publish(self._number, self._count_active(now))
        elif _has_pending_connection(listener):
            self._failed = True
            self._paused_until = now + FAILURE_PAUSE_SECONDS
            self._counts.retire(self._number)


def _has_pending_connection(listener: BaseWSGIServer) -> bool:
    """Return whether a connection is pending, as when no file descriptor was left to accept it."""
    poll = select.poll()
    poll.register(listener.socket, select.POLLIN)
    return bool(poll.poll(0))
