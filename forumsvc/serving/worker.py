"""One process that answers requests, from its first to its last."""

import logging
import multiprocessing
import os
import select
import signal
import socket
import time
from typing import Any

from waitress import wasyncore
from waitress.server import BaseWSGIServer, create_server

from forumsvc.serving.channel import Channel, failure_body
from forumsvc.serving.connection_balancer import Share, Shares
from forumsvc.serving.connection_limits import ConnectionLimits
from forumsvc.serving.environment import WORKER_NUMBER
from forumsvc.serving.heartbeat import HEARTBEAT_SECONDS, Heartbeats, Tasks
from forumsvc.serving.options import Options
from forumsvc.serving.signals import ENDINGS, ignored, release

log = logging.getLogger(__name__)


def serve(
    app: Any,
    sockets: list[socket.socket],
    options: Options,
    number: int,
    shares: Shares,
    heartbeats: Heartbeats,
) -> None:
    """Answer the requests that come in by `sockets` until a signal ends it.

    number: which of the workers this is, from 1; shares: what each of them holds; heartbeats: by
    which the parent sees that it makes progress.
    SIGTERM, SIGINT and SIGHUP let requests under way finish; SIGQUIT, or SIGINT once more, does
    not. To be called by the main thread.
    """
    os.environ[WORKER_NUMBER] = str(number)
    multiprocessing.current_process().name = f"worker-{number}"
    queue_log = logging.getLogger("waitress.queue")
    if queue_log.level == logging.NOTSET:
        queue_log.setLevel(logging.ERROR)  # It has a warning for each request that waits its turn.
    ending = Ending()
    ending.heed(supervised=options.processes > 1)
    service = Service(app, sockets, options, shares, number, heartbeats)
    ending.service = service
    while not ending.asked:
        service.turn()
    service.close_door()
    began = time.monotonic()
    finished = service.tasks.finished
    log.info("Shutdown after %s: %d requests are under way", ending.reason, service.busy())
    deadline = began + options.graceful_timeout
    while service.channels() and not ending.hurried and time.monotonic() < deadline:
        service.dismiss_idle()
        service.turn(deadline - time.monotonic())
    cut = service.close()
    log.log(
        logging.WARNING if cut else logging.INFO,
        "Shutdown took %.1f s: %d requests were finished, %d requests were cut off at the end",
        time.monotonic() - began,
        service.tasks.finished - finished,
        cut,
    )


class Ending:
    """Notes the signals that ask a process to end.

    asked: whether one has; hurried: whether requests under way are to be dropped, too; reason: the
    name of the first signal.
    """

    def __init__(self) -> None:
        self.asked = False
        self.hurried = False
        self.reason = ""
        self.service: Service | None = None

    def heed(self, *, supervised: bool) -> None:
        """Take signals from now on, those included that were held back.

        supervised: whether a parent passes Ctrl-C on, which the terminal sends to both.
        """
        for number in ENDINGS:
            if not ignored(number):
                signal.signal(number, self._note)
        if supervised:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        release()

    def _note(self, number: int, frame: object) -> None:
        """Handle a signal: only note it, for anything may be half done just now."""
        if self.hurried and number == signal.SIGINT:
            raise KeyboardInterrupt  # The third Ctrl-C: what hangs is an exit handler.
        if number == signal.SIGQUIT or (self.asked and number == signal.SIGINT):
            self.hurried = True
        if not self.asked:
            self.reason = signal.Signals(number).name
        self.asked = True
        if self.service is not None:
            self.service.wake()


class Service:
    """waitress's server on sockets that are there already, run turn by turn."""

    def __init__(
        self,
        app: Any,
        sockets: list[socket.socket],
        options: Options,
        shares: Shares,
        number: int,
        heartbeats: Heartbeats,
    ) -> None:
        self._map: dict[int, Any] = {}
        create_server(app, map=self._map, sockets=sockets, **options.waitress)
        self._doors = [door for door in self._map.values() if isinstance(door, BaseWSGIServer)]
        for door in self._doors:
            door.channel_class = Channel
            door.failure_body = getattr(app, "failure_body", failure_body)
        self._adj = self._doors[0].adj
        self._number = number
        self._heartbeats = heartbeats
        self.tasks = Tasks(self._adj.threads)
        self._limits = ConnectionLimits(self._doors, self._adj, options.connections_per_address)
        self._check_at = 0.0
        for door in self._doors:
            door.tasks = self.tasks
            door.time_limits = options.time_limits
            door.connection_limits = self._limits
        self._share = Share(shares, number, self._doors)

    def turn(self, longest: float | None = None) -> None:
        """Wait for something to do and do it, `longest` seconds at most."""
        self._heartbeats.beat(self._number, progress=self.tasks.make_progress())
        self._limits.close_evicted()
        if (now := time.monotonic()) >= self._check_at:
            self._check_at = now + self._adj.cleanup_interval
            self._limits.check_times()
        timeout = min(self._adj.asyncore_loop_timeout, HEARTBEAT_SECONDS)
        if longest is not None:
            timeout = max(0, min(timeout, longest))
        timeout = self._share.begin_turn(timeout)
        wasyncore.loop(timeout, self._adj.asyncore_use_poll, self._map, count=1)

    def wake(self) -> None:
        """End the waiting of a turn. May be called by a signal's handler."""
        self._doors[0].pull_trigger()

    def close_door(self) -> None:
        """Take in who has knocked already, then nobody any more."""
        for door in self._doors:
            for _ in range(self._adj.backlog):
                if not select.select([door.socket], [], [], 0)[0]:
                    break
                BaseWSGIServer.handle_accept(door)
            # Not its own close(), which would close what answers are announced by, too.
            wasyncore.dispatcher.close(door)
        self.turn(0)

    def channels(self) -> list[Channel]:
        """Return the connections that are open."""
        return [channel for channel in self._map.values() if isinstance(channel, Channel)]

    def busy(self) -> int:
        """Return how many requests are being read or answered."""
        return sum(channel.busy for channel in self.channels())

    def dismiss_idle(self) -> None:
        """Have the next turn close the connections that wait for their client's next request."""
        for channel in self.channels():
            if not channel.busy:
                channel.will_close = True

    def close(self) -> int:
        """Let go of everything; return how many requests were cut off."""
        cut = self.busy()
        self._doors[0].task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._map, ignore_all=True)
        return cut
