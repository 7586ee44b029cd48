"""Waiting for events at many sockets."""

import os
import socket
from collections.abc import Iterator

import pytest

from forumsvc.serving import poller as poller_module
from forumsvc.serving.poller import Poller


class Connection:
    """A connection of a server: what it wants, and how often it was asked and had something."""

    accepting = False
    needs_loop = False

    def __init__(self, pair: tuple[socket.socket, socket.socket] | None = None) -> None:
        self.near, self.far = pair or socket.socketpair()
        self.near.setblocking(False)
        self.descriptor = self.near.fileno()
        self.wants_to_read, self.wants_to_write = True, False
        self.asked = self.written = 0
        self.received: list[bytes] = []

    def readable(self) -> bool:
        self.asked += 1
        return self.wants_to_read

    def writable(self) -> bool:
        return self.wants_to_write

    def handle_read_event(self) -> None:
        self.received.append(self.near.recv(100))

    def handle_write_event(self) -> None:
        self.written += 1
        self.wants_to_write = False


class Loop:
    """A poller with connections. woken: how often something ended its wait."""

    def __init__(self, number: int) -> None:
        self.woken = 0
        self.connections = [Connection() for _ in range(number)]
        self.sockets = {it.descriptor: it for it in self.connections}
        self.poller = Poller({}, self._wake)
        self.poller._sockets = self.sockets
        self.poller.changed.update(self.sockets)
        self.run()

    def _wake(self) -> None:
        self.woken += 1

    def run(self) -> None:
        self.poller.wait(0)


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loop]:
    # Only what has changed is asked, however slow the test is.
    monkeypatch.setattr(poller_module, "_ASK_ALL_SECONDS", 3600.0)
    loop = Loop(20)
    yield loop
    loop.poller.close()
    for connection in loop.connections:
        connection.near.close()
        connection.far.close()


def test_an_iteration_asks_only_the_connections_that_have_events(loop):
    busy, idle = loop.connections[0], loop.connections[1:]
    before = [it.asked for it in idle]
    for _ in range(3):
        busy.far.send(b"x")
        loop.run()
    assert busy.received == [b"x"] * 3
    assert [it.asked for it in idle] == before


def test_what_arrives_before_the_answer_is_read_after_it(loop):
    one = loop.connections[0]
    one.wants_to_read = False  # its request is being answered
    one.far.send(b"next")
    loop.run()
    loop.run()
    assert one.received == []
    one.wants_to_read = True
    loop.poller.answer(one)
    loop.poller.pull_trigger()
    assert loop.woken == 1
    loop.run()
    assert one.received == [b"next"]


def test_an_answer_that_was_sent_whole_wakes_nobody(loop):
    one = loop.connections[0]
    one.wants_to_read = False
    loop.run()
    one.wants_to_read = True
    loop.poller.answer(one)
    loop.poller.pull_trigger()
    assert loop.woken == 0
    one.far.send(b"next")
    loop.run()
    assert one.received == [b"next"]


def test_an_answer_that_was_sent_in_part_is_sent_by_the_loop(loop):
    one = loop.connections[0]
    one.wants_to_read, one.wants_to_write, one.needs_loop = False, True, True
    loop.poller.answer(one)
    loop.poller.pull_trigger()
    assert loop.woken == 1
    loop.run()
    loop.run()
    assert one.written == 1


def test_a_forgotten_socket_that_another_process_has_open_reports_nothing(loop):
    one = loop.connections[0]
    other = os.dup(one.descriptor)
    try:
        loop.poller.forget(one.descriptor)
        del loop.sockets[one.descriptor]
        one.near.close()
        one.far.send(b"x")
        loop.run()
        assert loop.poller._epoll.poll(0) == []
    finally:
        os.close(other)


def test_a_client_that_leaves_before_its_answer_is_reported_once(loop):
    # epoll reports a hang-up whatever is registered, again and again.
    one = loop.connections[0]
    one.wants_to_read = False
    one.far.close()
    loop.run()
    assert loop.poller._epoll.poll(0) == []
    assert one.received == []


def test_urgent_data_that_nobody_reads_ends_no_wait(loop):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        far = socket.create_connection(listener.getsockname())
        one = Connection((listener.accept()[0], far))
    loop.connections.append(one)
    loop.sockets[one.descriptor] = one
    loop.poller.changed.add(one.descriptor)
    far.send(b"!", socket.MSG_OOB)
    far.send(b"x")
    loop.run()
    assert one.received == [b"x"]
    assert loop.poller._epoll.poll(0) == []


def test_a_paused_socket_reports_nothing_until_all_are_asked(loop, monkeypatch):
    one = loop.connections[0]
    loop.poller.pause(one.descriptor)
    one.far.send(b"x")
    loop.poller.changed.add(one.descriptor)
    loop.run()
    assert loop.poller._epoll.poll(0) == []
    monkeypatch.setattr(loop.poller, "_ask_all_at", 0.0)
    loop.run()
    assert one.received == [b"x"]


def test_a_socket_that_gets_the_number_of_a_paused_one_is_read_at_once(loop):
    one = loop.connections[0]
    loop.poller.pause(one.descriptor)
    loop.poller.forget(one.descriptor)
    one.far.send(b"x")
    loop.poller.changed.add(one.descriptor)
    loop.run()
    assert one.received == [b"x"]


def test_a_connection_that_time_has_closed_is_noticed(loop, monkeypatch):
    one = loop.connections[0]
    one.wants_to_read, one.wants_to_write = False, True
    loop.run()
    assert one.written == 0
    monkeypatch.setattr(loop.poller, "_ask_all_at", 0.0)
    loop.run()
    assert one.written == 1
