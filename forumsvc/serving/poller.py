"""Waits for events at the sockets of a worker, at the cost of those that have any.

wasyncore's own loop asks every connection before each wait whether it wants to read or write, and
each answer wakes it so that it asks again. Here a connection stays registered (epoll) while a
thread answers its request, and the loop is woken only where it has something to do for the
connection. docs/performance.md says what that buys.
"""

import select
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from waitress import wasyncore

if TYPE_CHECKING:
    from forumsvc.serving.channel import Channel

_ASK_ALL_SECONDS = 1.0
"""How often every connection is asked what it wants: it may be closed by the time, too."""
# Not EPOLLPRI: a byte of urgent data, which nothing here reads, would end each wait.
_READ = select.EPOLLIN
_WRITE = select.EPOLLOUT
_ALWAYS = select.EPOLLHUP | select.EPOLLERR
"""The events that epoll reports whatever is registered."""


class Poller:
    """The sockets of waitress's listeners and their connections, and which events they wait for.

    For the thread of the loop, but for `changed`, `answer` and `pull_trigger`.

    changed: the descriptors of connections that may want other events than before.
    """

    def __init__(self, sockets: dict[int, Any], wake: Callable[[], None]) -> None:
        """Wait for no socket yet.

        sockets: waitress's own map, by descriptor, with the listeners and no connection; wake: ends
        a wait, from any thread.
        """
        self.changed: set[int] = set()
        self._sockets = sockets
        self._wake = wake
        self._epoll = select.epoll()
        self._registered: dict[int, int] = {}
        self._listening = set(sockets)
        self._paused: set[int] = set()
        self._ask_all_at = 0.0
        self._thread = threading.local()

    def wait(self, timeout: float) -> None:
        """Wait for events, at most `timeout` seconds, and have the sockets handle them."""
        now = time.monotonic()
        if now >= self._ask_all_at:
            self._ask_all_at = now + _ASK_ALL_SECONDS
            self.changed.update(self._sockets)
            self._paused.clear()
        self.changed.update(self._listening)
        while self.changed:
            self._register(self.changed.pop())
        for descriptor, events in self._epoll.poll(timeout):
            wanted = self._wanted(descriptor)
            if wanted and events & (wanted | _ALWAYS):
                wasyncore.readwrite(self._sockets[descriptor], events & (wanted | _ALWAYS))
                self._register(descriptor)
            else:
                self._unregister(descriptor)

    def pause(self, descriptor: int) -> None:
        """Wait for no event of a socket for about a second: what it asks for cannot be done now."""
        self._paused.add(descriptor)
        self._unregister(descriptor)

    def forget(self, descriptor: int) -> None:
        """Wait for no event of a socket any more; call it before the socket is closed.

        Another process may have the socket open, too: then epoll would go on to report its events.
        """
        self._listening.discard(descriptor)
        self._paused.discard(descriptor)
        if self._registered.pop(descriptor, 0):
            self._epoll.unregister(descriptor)

    def close(self) -> None:
        """Give back what it takes of the system; nothing may be called afterwards."""
        self._epoll.close()

    def answer(self, channel: "Channel | None") -> None:
        """Remember whose request this thread answers, None: nobody's."""
        self._thread.channel = channel

    def pull_trigger(self) -> None:
        """Wake the loop, unless it has nothing to do for the connection that this thread answers.

        It takes the place of waitress's method, which threads call after each answer.
        """
        channel: Channel | None = getattr(self._thread, "channel", None)
        if channel is not None:
            if not channel.needs_loop and channel.descriptor in self._registered:
                return
            self.changed.add(channel.descriptor)
        self._wake()

    def _register(self, descriptor: int) -> None:
        """Wait for the events that a socket wants now.

        A connection whose request is being answered wants none; it stays registered for reading,
        for the next request mostly comes after the answer.
        """
        wanted = self._wanted(descriptor)
        registered = self._registered.get(descriptor)
        if not wanted:
            if registered not in (None, _READ):
                self._unregister(descriptor)
        elif registered is None:
            self._registered[descriptor] = wanted
            self._epoll.register(descriptor, wanted)
        elif registered != wanted:
            self._registered[descriptor] = wanted
            self._epoll.modify(descriptor, wanted)

    def _unregister(self, descriptor: int) -> None:
        """Wait for no event of a socket until it wants any again."""
        if self._registered.pop(descriptor, 0):
            self._epoll.unregister(descriptor)
        # A thread that ended its answer just before has not woken the loop.
        if self._wanted(descriptor):
            self._register(descriptor)

    def _wanted(self, descriptor: int) -> int:
        """Return the events that a socket wants, 0 for none and for one that is closed."""
        found = self._sockets.get(descriptor)
        if found is None or descriptor in self._paused:
            return 0
        wanted = _READ if found.readable() else 0
        return wanted | _WRITE if found.writable() and not found.accepting else wanted
