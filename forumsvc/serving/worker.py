"""A worker process: serves requests from its start to its shutdown."""

import logging
import multiprocessing
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

from waitress import wasyncore
from waitress.server import BaseWSGIServer, create_server

from forumsvc.serving.accepting import accept_with_pauses
from forumsvc.serving.channel import Channel, error_body
from forumsvc.serving.client_shares import (
    LARGE_ANSWER,
    MAX_UNREAD_IN_ALL,
    FairDispatcher,
    UnreadBytes,
    client_of,
)
from forumsvc.serving.connection_limits import ConnectionLimits
from forumsvc.serving.environment import WORKER_NUMBER
from forumsvc.serving.heartbeat import HEARTBEAT_SECONDS, Heartbeats, TaskCounter
from forumsvc.serving.memory import return_memory, use_one_arena
from forumsvc.serving.options import Options
from forumsvc.serving.poller import Poller
from forumsvc.serving.proxy import with_client_address
from forumsvc.serving.signals import SHUTDOWN_SIGNALS, is_ignored, unblock

log = logging.getLogger(__name__)


def serve(
    app: Any,
    sockets: list[socket.socket],
    options: Options,
    number: int,
    heartbeats: Heartbeats,
    *,
    supervised: bool,
) -> None:
    """Serve the requests that arrive on `sockets` until a signal ends the process.

    number: the worker's number, from 1; heartbeats: where the parent sees that the worker makes
    progress; supervised: whether it has a parent, which forwards signals.
    SIGTERM and SIGINT let requests in progress finish; SIGQUIT, or a second SIGINT, does not.
    SIGHUP of a parent also leaves idle connections to their clients until their next request, or
    until they time out: another worker takes the new ones. Call it in the main thread.
    """
    use_one_arena()
    os.environ[WORKER_NUMBER] = str(number)
    multiprocessing.current_process().name = f"worker-{number}"
    shutdown = Shutdown()
    shutdown.install_handlers(supervised=supervised)
    loop = ServerLoop(app, sockets, options, number, heartbeats)
    shutdown.loop = loop
    on_worker_start = getattr(app, "on_worker_start", None)
    if on_worker_start is not None:
        try:
            on_worker_start()
        except OSError as error:
            log.warning("the start of this worker is not complete: %s", error)
    while not shutdown.requested:
        loop.run_once()
    if not shutdown.is_replaced:
        loop.drain(options.drain_seconds, lambda: shutdown.forced)
    loop.stop_listening()
    started = time.monotonic()
    finished = loop.tasks.finished
    log.info("Shutdown after %s: %d requests are under way", shutdown.reason, loop.busy_count())
    deadline = started + options.graceful_timeout
    while loop.channels() and not shutdown.forced and time.monotonic() < deadline:
        if not shutdown.is_replaced:
            loop.close_idle()
        loop.run_once(deadline - time.monotonic())
    cut_off = loop.close()
    log.log(
        logging.WARNING if cut_off else logging.INFO,
        "Shutdown took %.1f s: %d requests were finished, %d requests were cut off at the end",
        time.monotonic() - started,
        loop.tasks.finished - finished,
        cut_off,
    )


class Shutdown:
    """The state of the shutdown, set by signal handlers.

    requested: whether a signal asked for it; forced: whether requests in progress are dropped;
    is_replaced: whether another worker takes the place of this one; reason: the name of the first
    signal.
    """

    def __init__(self) -> None:
        self.requested = False
        self.forced = False
        self.is_replaced = False
        self._supervised = False
        self.reason = ""
        self.loop: ServerLoop | None = None

    def install_handlers(self, *, supervised: bool) -> None:
        """Install the handlers and unblock the signals.

        supervised: whether a parent forwards Ctrl-C, which the terminal sends to both.
        """
        self._supervised = supervised
        for number in SHUTDOWN_SIGNALS:
            if not is_ignored(number):
                signal.signal(number, self._on_signal)
        if supervised:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        unblock()

    def _on_signal(self, number: int, frame: object) -> None:
        """Record a signal; do nothing else, because it may interrupt anything."""
        if self.forced and number == signal.SIGINT:
            raise KeyboardInterrupt  # The third Ctrl-C: an exit handler hangs.
        if number == signal.SIGQUIT or (self.requested and number == signal.SIGINT):
            self.forced = True
        self.is_replaced = self._supervised and number == signal.SIGHUP
        if not self.requested:
            self.reason = signal.Signals(number).name
        self.requested = True
        if self.loop is not None:
            self.loop.wake()


class ServerLoop:
    """waitress's main loop on sockets that are bound already, run one iteration at a time.

    wake: ends the wait of the current iteration; safe to call in a signal handler.
    """

    def __init__(
        self,
        app: Any,
        sockets: list[socket.socket],
        options: Options,
        number: int,
        heartbeats: Heartbeats,
    ) -> None:
        self._map: dict[int, Any] = {}
        create_server(
            with_client_address(app, options.trusted_proxy, options.address),
            map=self._map,
            sockets=sockets,
            _dispatcher=FairDispatcher(options.address.threads),
            clear_untrusted_proxy_headers="false",  # with_client_address clears them
            **options.waitress,
        )
        self._listeners = [
            listener for listener in self._map.values() if isinstance(listener, BaseWSGIServer)
        ]
        for listener in self._listeners:
            listener.channel_class = Channel
            listener.is_draining = False
            listener.error_body = getattr(app, "error_body", error_body)
            listener.error_headers = getattr(app, "error_headers", [])
            listener.body_error = getattr(app, "body_error", lambda headers: None)
        self._adj = self._listeners[0].adj
        self.wake = self._listeners[0].pull_trigger
        self._poller = Poller(self._map, self.wake)
        self._number = number
        self._heartbeats = heartbeats
        self.tasks = TaskCounter(self._adj.threads)
        self._limits = ConnectionLimits(
            self._listeners, self._adj, options.connections_per_address, options.trusted_proxy
        )
        self._check_at = 0.0
        self._unread_bytes = UnreadBytes()
        address, trusted = options.address, options.trusted_proxy
        for listener in self._listeners:
            listener.poller = self._poller
            listener.accept = accept_with_pauses(listener, self._poller)
            listener.pull_trigger = self._poller.pull_trigger
            listener.tasks = self.tasks
            listener.time_limits = options.time_limits
            listener.connection_limits = self._limits
            listener.unread_bytes = self._unread_bytes
            listener.client_of = lambda addr, hops: client_of(addr, hops, address, trusted)

    def run_once(self, max_seconds: float | None = None) -> None:
        """Run one iteration: wait for events, at most `max_seconds`, and handle them."""
        self._heartbeats.beat(self._number, progress=self.tasks.has_progressed())
        if self._unread_bytes.in_all > MAX_UNREAD_IN_ALL:
            self._limits.close_slow_readers()
        self._limits.close_marked()
        if (now := time.monotonic()) >= self._check_at:
            self._check_at = now + self._adj.cleanup_interval
            self._limits.check_times()
            self._return_memory()
        timeout = min(self._adj.asyncore_loop_timeout, HEARTBEAT_SECONDS)
        if max_seconds is not None:
            timeout = max(0, min(timeout, max_seconds))
        self._poller.wait(timeout)

    def _return_memory(self) -> None:
        """Give back the memory of large answers once they are read."""
        unread = self._unread_bytes
        if unread.peak >= LARGE_ANSWER > unread.in_all:
            unread.peak = unread.in_all
            return_memory()

    def drain(self, seconds: float, is_over: Callable[[], bool]) -> None:
        """Go on for some seconds, and tell the application that this server will end."""
        for listener in self._listeners:
            listener.is_draining = True
        deadline = time.monotonic() + seconds
        while not is_over() and (remaining := deadline - time.monotonic()) > 0:
            self.run_once(remaining)

    def stop_listening(self) -> None:
        """Accept the pending connections, then close the listeners."""
        for listener in self._listeners:
            for _ in range(self._adj.backlog):
                if not select.select([listener.socket], [], [], 0)[0]:
                    break
                listener.handle_accept()
            self._poller.forget(listener.socket.fileno())
            # Its own close() would also close the trigger by which threads report responses.
            wasyncore.dispatcher.close(listener)
        self.run_once(0)

    def channels(self) -> list[Channel]:
        """Return the open connections."""
        return [channel for channel in self._map.values() if isinstance(channel, Channel)]

    def busy_count(self) -> int:
        """Return how many requests are being received or answered."""
        return sum(channel.busy for channel in self.channels())

    def close_idle(self) -> None:
        """Mark the idle connections, so that the next iteration closes them."""
        for channel in self.channels():
            if not channel.busy:
                channel.will_close = True
                self._poller.changed.add(channel.descriptor)

    def close(self) -> int:
        """Close everything; return how many requests were cut off."""
        cut_off = self.busy_count()
        self._listeners[0].task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._map, ignore_all=True)
        self._poller.close()
        return cut_off
