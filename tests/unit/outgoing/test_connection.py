"""One attempt to send a webhook: bounded in time, on a connection that still stands."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from forumsvc.outgoing import connection
from forumsvc.outgoing.connection import CheckedConnection

SECONDS = 0.3
ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


@contextmanager
def listening(serve: Callable[[socket.socket, threading.Event], None]) -> Iterator[int]:
    """Serve each connection on a free port of loopback; yields the port."""
    ended = threading.Event()
    server = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = server.accept()
                threads.append(threading.Thread(target=run, args=(client,)))
                threads[-1].start()

    def run(client: socket.socket) -> None:
        with client, suppress(OSError):
            serve(client, ended)

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield int(server.getsockname()[1])
    finally:
        ended.set()
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        for thread in (accepting, *threads):
            thread.join()


def drip(client: socket.socket, ended: threading.Event) -> None:
    """Send a byte now and then, for ever."""
    while not ended.wait(0.02):
        client.send(b"x")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_receiver_that_drips_ends_with_the_attempt(scheme):
    with listening(drip) as port:
        sender = CheckedConnection("test", allow_private=True, seconds=SECONDS)
        outcome = sender.post(f"{scheme}://127.0.0.1:{port}/", b"{}", {})
        sender.close()
    assert outcome.error is not None
    assert outcome.status is None


def test_a_name_that_is_looked_up_for_too_long_ends_with_the_attempt(monkeypatch):
    ended = threading.Event()

    def resolve(*target: object, **options: object) -> str:
        ended.wait()
        return "127.0.0.1"

    monkeypatch.setattr(connection, "resolve", resolve)
    sender = CheckedConnection("test", allow_private=True, seconds=SECONDS)
    outcome = sender.post("https://hooks.example.org/", b"{}", {})
    sender.close()
    ended.set()
    assert outcome.error == f"no answer within {SECONDS:g} s"


def test_a_connection_that_the_receiver_closed_is_opened_again():
    closed = threading.Event()

    def answer_once(client: socket.socket, ended: threading.Event) -> None:
        client.recv(65_536)
        client.sendall(ANSWER)
        client.shutdown(socket.SHUT_RDWR)
        closed.set()

    with listening(answer_once) as port:
        sender = CheckedConnection("test", allow_private=True)
        for _ in range(2):
            assert sender.post(f"http://127.0.0.1:{port}/", b"{}", {}).status == 204
            assert closed.wait(10)
            closed.clear()
        sender.close()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("120", 120.0),
        ("9" * 30, 86_400.0),
        ("-5", None),
        ("soon", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400.0),
        ("Mon, 01 Jan 0001 00:00:00 +1400", 0.0),
    ],
)
def test_retry_after_is_a_day_at_most(header, seconds):
    assert connection._retry_after(header) == seconds
