"""Clients that send or read slowly, or open many connections, do not delay others."""

import itertools
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from functools import partial
from http.client import HTTPConnection

import pytest

from tests.system.process import PATIENCE, wait_until
from tests.system.pserve import Pserve, pserve, read_response
from tests.system.test_serving_stop import let_go, slow_request

NEVER = 3600
CROWD = 300
HEADER = b"GET / HTTP/1.1\r\nHost: h\r\nX-A: "
BODY = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n"
SHORT = {"cleanup_interval": 1, "channel_timeout": NEVER}


def begin(server: Pserve, sent: bytes, *, small_window: bool = False) -> socket.socket:
    """Connect and send the beginning of a request."""
    client = socket.socket()
    client.settimeout(PATIENCE)
    if small_window:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", server.port))
    client.sendall(sent)
    return client


@pytest.fixture
def clients() -> Iterator[ExitStack]:
    """Closes a test's connections."""
    with ExitStack() as stack:
        yield stack


def drip(crowd: list[socket.socket]) -> None:
    """Send a byte on each open connection."""
    for client in crowd:
        with suppress(OSError):
            client.send(b"x")


def is_answered(client: socket.socket) -> bool:
    """Send a byte, and return whether the server has answered or closed the connection."""
    client.settimeout(0)
    with suppress(OSError):
        client.send(b"x")
    try:
        client.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


@pytest.mark.parametrize("sent", [b"", HEADER, BODY], ids=["nothing", "a header", "a body"])
@pytest.mark.parametrize("keys", [{"connection_limit": 50}, {"connections_per_address": 50}])
def test_the_oldest_unfinished_requests_make_room(tmp_path, clients, sent, keys):
    limits = {"connections_per_address": 0, **keys, **SHORT}
    with pserve(tmp_path, processes=2, **limits) as server:
        crowd = [clients.enter_context(begin(server, sent)) for _ in range(CROWD)]
        for _ in range(20):
            if sent:
                drip(crowd)
            assert server.get("/").status == 200
        wait_until(lambda: "oldest, to make room" in server.log, "the log tells of it")


def test_idle_connections_make_room_and_busy_ones_do_not(tmp_path, clients):
    limits = {"connections_per_address": 10, "channel_timeout": NEVER}
    with pserve(tmp_path, threads=2, **limits) as server, slow_request(server) as connection:
        for _ in range(30):
            kept = server.connect()
            clients.callback(kept.close)
            kept.request("GET", "/")
            assert read_response(kept).status == 200
        let_go(server)
        assert read_response(connection).status == 200


def test_without_a_descriptor_new_clients_wait_and_those_before_are_answered(tmp_path, clients):
    files = resource.RLIMIT_NOFILE
    with pserve(tmp_path) as server:
        worker, kept = server.process.pid, server.connect()
        clients.callback(kept.close)
        kept.request("GET", "/")
        assert read_response(kept).status == 200
        before = resource.prlimit(worker, files)
        used = {int(number) for number in os.listdir(f"/proc/{worker}/fd")}
        lowest_free = next(number for number in itertools.count() if number not in used)
        resource.prlimit(worker, files, (lowest_free, before[1]))
        waiting = clients.enter_context(begin(server, b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"))
        wait_until(lambda: "no connection can be accepted" in server.log, "the log tells of it")
        for _ in range(CROWD):
            kept.request("GET", "/")
            assert read_response(kept).status == 200
        assert server.log.count("no connection can be accepted") < CROWD
        resource.prlimit(worker, files, before)
        assert waiting.recv(12) == b"HTTP/1.1 200"


def test_an_address_whose_connections_are_all_busy_is_refused(tmp_path):
    with pserve(tmp_path, threads=1, connections_per_address=1) as server:
        with slow_request(server) as connection:
            refused = server.connect()
            refused.connect()
            response = answer_of(refused.sock)
            refused.close()
            let_go(server)
            assert read_response(connection).status == 200
        assert response.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
        assert b"\r\nRetry-After: 1\r\n" in response
        assert response.endswith(b'{"error": "There are too many connections from this address."}')


def answer_of(client: socket.socket) -> bytes:
    """Return all that the server sends until it closes the connection."""
    with client.makefile("rb") as file:
        return file.read()


def test_the_trusted_proxy_may_open_many_connections(tmp_path, clients):
    keys = {
        "trusted_proxy": "127.0.0.1",
        "trusted_proxy_headers": "x-forwarded-for",
        "connections_per_address": 1,
    }
    with pserve(tmp_path, **keys) as server:
        crowd = [server.connect() for _ in range(10)]
        for _ in range(2):
            for connection in crowd:
                connection.request("GET", "/")
            assert [read_response(connection).status for connection in crowd] == [200] * 10
        for connection in crowd:
            connection.close()


@pytest.mark.parametrize(
    ("sent", "key", "what"),
    [
        (HEADER, "header_timeout_seconds", "header"),
        (b"\r\n\r\n", "header_timeout_seconds", "header"),
        (BODY, "body_timeout_seconds", "body"),
    ],
)
def test_bytes_that_drip_do_not_renew_the_time_of_a_request(tmp_path, clients, sent, key, what):
    with pserve(tmp_path, **SHORT, **{key: 1}) as server:
        client = clients.enter_context(begin(server, sent))
        wait_until(partial(is_answered, client), "the server has had enough")
        client.settimeout(PATIENCE)
        with suppress(ConnectionResetError):
            response = answer_of(client)
            assert response.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
            assert response.endswith(
                b'{"error": "The %b of the request takes too long."}' % what.encode()
            )
        wait_until(lambda: f"slow {what}: 1" in server.log, "the log tells of it")


def test_a_client_that_does_not_read_is_disconnected(tmp_path, clients):
    with pserve(tmp_path, threads=1, **SHORT, response_timeout_seconds=1) as server:
        # More than waitress buffers, so that the only thread waits for the client.
        clients.enter_context(
            begin(server, b"GET /large/30000000 HTTP/1.1\r\nHost: h\r\n\r\n", small_window=True)
        )
        assert server.get("/").status == 200
        wait_until(lambda: "slow answer: 1" in server.log, "the log tells of it")


def test_requests_that_come_together_wait_for_their_client_to_read(tmp_path, clients):
    with pserve(tmp_path, threads=1, response_timeout_seconds=NEVER) as server:
        request = b"GET /large/5000000 HTTP/1.1\r\nHost: h\r\n\r\n"
        client = clients.enter_context(begin(server, 50 * request, small_window=True))
        assert server.get("/").status == 200
        assert server.log.count("asked for /large/") == 1
        client.shutdown(socket.SHUT_WR)


def test_requests_that_come_together_are_answered_in_their_order(tmp_path, clients):
    with pserve(tmp_path, threads=4) as server:
        requests = [b"GET /large/%d HTTP/1.1\r\nHost: h\r\n\r\n" % (n * 1000) for n in range(1, 31)]
        last = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"
        client = clients.enter_context(begin(server, b"".join(requests) + last))
        response = answer_of(client)
        lengths = [len(body) for body in response.split(b"\r\n\r\n")[1:-1]]
        assert response.count(b"HTTP/1.1 200 OK") == 31
        assert lengths == sorted(lengths)
        assert b'"received": 3' in response


def test_who_does_not_read_gets_no_further_answers_and_others_do(tmp_path, clients):
    get = b"GET /large/20000000 HTTP/1.1\r\nHost: h\r\n\r\n"
    with pserve(tmp_path, **SHORT) as server:
        crowd = [begin(server, get, small_window=True) for _ in range(9)]
        for client in crowd:
            clients.enter_context(client)
            assert client.recv(12) in (b"HTTP/1.1 200", b"HTTP/1.1 429")

        def status(source: str) -> int:
            one = HTTPConnection("127.0.0.1", server.port, PATIENCE, (source, 0))
            with closing(one):
                one.request("GET", "/")
                return read_response(one).status

        assert status("127.0.0.1") == 429
        assert status("127.0.0.9") == 200
        for client in crowd:
            client.close()
        wait_until(lambda: status("127.0.0.1") == 200, "what nobody will read is forgotten")
