"""Dividing connections: who holds more than another leaves the next knock to it, for a moment."""

import errno
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from wsgiref.simple_server import demo_app

import pytest
from waitress.server import TcpWSGIServer

from forumsvc.serving import connection_balancer as module
from forumsvc.serving.connection_balancer import Shares
from forumsvc.serving.heartbeat import Heartbeats
from forumsvc.serving.options import Options
from forumsvc.serving.worker import Service
from tests.system.process import wait_until

ENDLESS = 3600.0
PATIENCE = 60.0


class Worker:
    """The first of two workers, on a socket of its own."""

    def __init__(self, shares: Shares, stack: ExitStack, doors: int = 1, **keys: str) -> None:
        self._stack = stack
        self._sockets = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(doors)
        ]
        options = Options.of_section(keys)
        self._service = Service(demo_app, self._sockets, options, shares, 1, Heartbeats(2))
        stack.callback(self._service.close)

    def knock(self, door: int = 0) -> socket.socket:
        """Connect to it."""
        address = self._sockets[door].getsockname()
        return self._stack.enter_context(socket.create_connection(address, PATIENCE))

    def held_after(self, turns: int) -> int:
        """Give it so many turns that do not wait, and return how many connections it holds."""
        for _ in range(turns):
            self._service.turn(0)
        return len(self._service.channels())

    def turn(self) -> int:
        """Give it one turn that waits as long as it likes, and return what it holds."""
        self._service.turn()
        return len(self._service.channels())

    def close_door(self) -> None:
        """Have it take no more."""
        self._service.close_door()


@pytest.fixture
def shares() -> Shares:
    """What two workers hold."""
    return Shares(2)


@pytest.fixture
def worker(shares: Shares) -> Iterator[Worker]:
    """The first of the two."""
    with ExitStack() as stack:
        yield Worker(shares, stack)


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a moment never end."""
    monkeypatch.setattr(module, "MOMENT", ENDLESS)


def test_who_holds_no_more_another_takes_who_knocks(shares: Shares, worker: Worker) -> None:
    shares.hold(2, 0)
    worker.knock()
    assert worker.held_after(1) == 1


@pytest.mark.usefixtures("endless")
def test_who_holds_more_than_another_leaves_the_knock_to_it(shares: Shares, worker: Worker) -> None:
    shares.hold(2, 0)
    worker.knock()
    worker.knock()
    assert worker.held_after(5) == 1


@pytest.mark.usefixtures("endless")
def test_one_that_has_stepped_back_counts_for_one_more(shares: Shares, worker: Worker) -> None:
    shares.hold(2, 0)
    worker.knock()
    worker.knock()
    assert worker.held_after(3) == 1
    shares.leave(2)
    assert shares.least() == 2


@pytest.mark.usefixtures("endless")
def test_one_that_has_stepped_back_is_there_again_when_the_other_holds_as_much(
    shares: Shares, worker: Worker
) -> None:
    shares.hold(2, 0)
    worker.knock()
    worker.knock()
    worker.held_after(3)
    shares.hold(2, 1)
    assert worker.held_after(2) == 2


@pytest.mark.usefixtures("endless")
def test_a_knock_at_another_door_is_left_to_the_others_too(shares: Shares) -> None:
    with ExitStack() as stack:
        worker = Worker(shares, stack, doors=2)
        shares.hold(2, 0)
        worker.knock()
        assert worker.held_after(1) == 1
        for door in (0, 1):
            worker.knock(door)
        assert worker.held_after(3) == 1


@pytest.mark.usefixtures("endless")
def test_connections_that_nobody_has_used_for_long_do_not_count(
    shares: Shares, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "COUNT", 0)
    shares.hold(2, 0)
    worker.knock()
    assert worker.held_after(1) == 1
    monkeypatch.setattr(module, "IDLE", -ENDLESS)
    worker.held_after(2)
    worker.knock()
    assert worker.held_after(1) == 2


@pytest.mark.usefixtures("endless")
def test_a_worker_that_can_let_nobody_in_leaves_it_to_the_others(
    shares: Shares, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FAILURE", ENDLESS)
    shares.hold(2, 7)
    worker.knock()
    with monkeypatch.context() as patch:
        patch.setattr(TcpWSGIServer, "accept", no_descriptor_left)
        assert worker.held_after(1) == 0
        assert shares.least() == 7
    assert worker.held_after(3) == 0


def no_descriptor_left(*_: object) -> None:
    """Fail as the system does where a process has as many files open as it may have."""
    raise OSError(errno.EMFILE, "Too many open files")


@pytest.mark.usefixtures("endless")
def test_nobody_waits_for_a_worker_that_has_as_many_as_it_may_have(shares: Shares) -> None:
    with ExitStack() as stack:
        worker = Worker(shares, stack, connection_limit="1")
        worker.knock()
        worker.held_after(2)
        shares.hold(2, 7)
        assert shares.least() == 7


def test_who_still_knocks_after_the_moment_is_taken(shares: Shares, worker: Worker) -> None:
    shares.hold(2, 0)
    for _ in range(3):
        worker.knock()
    wait_until(lambda: worker.turn() == 3, "all are let in")


@pytest.mark.usefixtures("endless")
@pytest.mark.parametrize("goes", [lambda shares: shares.leave(2), lambda _: None])
def test_nobody_waits_for_a_worker_that_has_ended_or_not_begun(
    shares: Shares, worker: Worker, goes: Callable[[Shares], None]
) -> None:
    goes(shares)
    worker.knock()
    worker.knock()
    assert worker.held_after(2) == 2


@pytest.mark.usefixtures("endless")
def test_what_a_worker_holds_is_told_when_it_comes_and_when_it_goes(
    shares: Shares, worker: Worker
) -> None:
    client = worker.knock()
    worker.turn()
    assert shares.least() == 1
    client.close()
    worker.turn()
    assert worker.held_after(1) == 0
    assert shares.least() == 0


@pytest.mark.usefixtures("endless")
def test_a_worker_that_closes_takes_who_has_knocked_and_is_waited_for_no_more(
    shares: Shares, worker: Worker
) -> None:
    shares.hold(2, 0)
    for _ in range(3):
        worker.knock()
    assert worker.held_after(2) == 1
    worker.close_door()
    assert worker.held_after(1) == 3
    shares.hold(2, 7)
    assert shares.least() == 7
