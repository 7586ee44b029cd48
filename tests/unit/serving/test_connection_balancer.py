"""Balancing: a worker with more connections than another leaves it the next one for a moment."""

import errno
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from wsgiref.simple_server import demo_app

import pytest
from waitress.server import TcpWSGIServer

from forumsvc.serving import connection_balancer as module
from forumsvc.serving.connection_balancer import ConnectionCounts
from forumsvc.serving.heartbeat import Heartbeats
from forumsvc.serving.options import Options
from forumsvc.serving.worker import ServerLoop
from tests.system.process import wait_until

ENDLESS = 3600.0
PATIENCE = 60.0


class Worker:
    """The first of two workers, on a socket of its own."""

    def __init__(
        self, counts: ConnectionCounts, stack: ExitStack, listeners: int = 1, **keys: str
    ) -> None:
        self._stack = stack
        self._sockets = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(listeners)
        ]
        options = Options.from_section(keys)
        self._loop = ServerLoop(demo_app, self._sockets, options, counts, 1, Heartbeats(2))
        stack.callback(self._loop.close)

    def connect(self, listener: int = 0) -> socket.socket:
        """Open a connection to it."""
        address = self._sockets[listener].getsockname()
        return self._stack.enter_context(socket.create_connection(address, PATIENCE))

    def run(self, times: int) -> int:
        """Run its loop so many times without waiting; return how many connections it has."""
        for _ in range(times):
            self._loop.run_once(0)
        return len(self._loop.channels())

    def run_once(self) -> int:
        """Run its loop once, waiting as it likes; return how many connections it has."""
        self._loop.run_once()
        return len(self._loop.channels())

    def stop_listening(self) -> None:
        """Have it accept no more connections."""
        self._loop.stop_listening()


@pytest.fixture
def counts() -> ConnectionCounts:
    """The connection counts of two workers."""
    return ConnectionCounts(2)


@pytest.fixture
def worker(counts: ConnectionCounts) -> Iterator[Worker]:
    """The first of the two."""
    with ExitStack() as stack:
        yield Worker(counts, stack)


@pytest.fixture
def endless_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause that never ends."""
    monkeypatch.setattr(module, "PAUSE_SECONDS", ENDLESS)


def test_a_worker_with_no_more_connections_than_another_accepts(
    counts: ConnectionCounts, worker: Worker
) -> None:
    counts.publish(2, 0)
    worker.connect()
    assert worker.run(1) == 1


@pytest.mark.usefixtures("endless_pause")
def test_a_worker_with_more_connections_than_another_leaves_the_next_to_it(
    counts: ConnectionCounts, worker: Worker
) -> None:
    counts.publish(2, 0)
    worker.connect()
    worker.connect()
    assert worker.run(5) == 1


@pytest.mark.usefixtures("endless_pause")
def test_a_pausing_worker_counts_one_connection_more(
    counts: ConnectionCounts, worker: Worker
) -> None:
    counts.publish(2, 0)
    worker.connect()
    worker.connect()
    assert worker.run(3) == 1
    counts.retire(2)
    assert counts.lowest() == 2


@pytest.mark.usefixtures("endless_pause")
def test_a_pausing_worker_accepts_again_when_the_other_has_as_many(
    counts: ConnectionCounts, worker: Worker
) -> None:
    counts.publish(2, 0)
    worker.connect()
    worker.connect()
    worker.run(3)
    counts.publish(2, 1)
    assert worker.run(2) == 2


@pytest.mark.usefixtures("endless_pause")
def test_a_pausing_worker_pauses_on_all_its_listeners(counts: ConnectionCounts) -> None:
    with ExitStack() as stack:
        worker = Worker(counts, stack, listeners=2)
        counts.publish(2, 0)
        worker.connect()
        assert worker.run(1) == 1
        for listener in (0, 1):
            worker.connect(listener)
        assert worker.run(3) == 1


@pytest.mark.usefixtures("endless_pause")
def test_idle_connections_do_not_count(
    counts: ConnectionCounts, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IDLE_COUNT_SECONDS", 0)
    counts.publish(2, 0)
    worker.connect()
    assert worker.run(1) == 1
    monkeypatch.setattr(module, "IDLE_SECONDS", -ENDLESS)
    worker.run(2)
    worker.connect()
    assert worker.run(1) == 2


@pytest.mark.usefixtures("endless_pause")
def test_a_worker_that_cannot_accept_pauses_and_is_not_counted(
    counts: ConnectionCounts, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FAILURE_PAUSE_SECONDS", ENDLESS)
    counts.publish(2, 7)
    worker.connect()
    with monkeypatch.context() as patch:
        patch.setattr(TcpWSGIServer, "accept", no_descriptor_left)
        assert worker.run(1) == 0
        assert counts.lowest() == 7
    assert worker.run(3) == 0


def no_descriptor_left(*_: object) -> None:
    """Fail as the system does at the limit of open files."""
    raise OSError(errno.EMFILE, "Too many open files")


@pytest.mark.usefixtures("endless_pause")
def test_a_full_worker_is_not_counted(
    counts: ConnectionCounts,
) -> None:
    with ExitStack() as stack:
        worker = Worker(counts, stack, connection_limit="1")
        worker.connect()
        worker.run(2)
        counts.publish(2, 7)
        assert counts.lowest() == 7


def test_connections_still_pending_after_the_pause_are_accepted(
    counts: ConnectionCounts, worker: Worker
) -> None:
    counts.publish(2, 0)
    for _ in range(3):
        worker.connect()
    wait_until(lambda: worker.run_once() == 3, "all are accepted")


@pytest.mark.usefixtures("endless_pause")
@pytest.mark.parametrize("end", [lambda counts: counts.retire(2), lambda _: None])
def test_a_worker_that_has_ended_or_not_begun_is_not_counted(
    counts: ConnectionCounts, worker: Worker, end: Callable[[ConnectionCounts], None]
) -> None:
    end(counts)
    worker.connect()
    worker.connect()
    assert worker.run(2) == 2


@pytest.mark.usefixtures("endless_pause")
def test_the_count_is_published_when_a_connection_opens_and_when_it_closes(
    counts: ConnectionCounts, worker: Worker
) -> None:
    client = worker.connect()
    worker.run_once()
    assert counts.lowest() == 1
    client.close()
    worker.run_once()
    assert worker.run(1) == 0
    assert counts.lowest() == 0


@pytest.mark.usefixtures("endless_pause")
def test_a_worker_that_stops_listening_accepts_what_is_pending_and_is_not_counted(
    counts: ConnectionCounts, worker: Worker
) -> None:
    counts.publish(2, 0)
    for _ in range(3):
        worker.connect()
    assert worker.run(2) == 1
    worker.stop_listening()
    assert worker.run(1) == 3
    counts.publish(2, 7)
    assert counts.lowest() == 7
