"""The shutdown of a server: requests in progress finish, exit handlers run, no process is left."""

import http.client
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.system.process import PATIENCE, alive, wait_until
from tests.system.pserve import Pserve, pserve, read_response

NEVER = 3600


@contextmanager
def slow_request(server: Pserve) -> Iterator[http.client.HTTPConnection]:
    """Send a request that is answered when the FIFO `go` is opened."""
    os.mkfifo(server.notes / "go")
    connection = server.connect()
    connection.request("GET", "/slow")
    wait_until((server.notes / "begun").exists, "the request is under way")
    yield connection
    connection.close()


def let_go(server: Pserve) -> None:
    """Let the slow request continue."""
    (server.notes / "go").write_bytes(b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("processes", [1, 2])
def test_requests_under_way_are_finished(tmp_path, number, processes):
    with pserve(tmp_path, processes=processes, graceful_timeout=NEVER) as server:
        with slow_request(server) as connection:
            server.process.send_signal(number)
            wait_until(server.refuses_connections, "nobody else is let in")
            let_go(server)
            late = read_response(connection)
        assert late.status == 200
        assert late.headers["connection"] == "close"
        assert server.process.wait(PATIENCE) == 0
        assert (server.notes / f"ended-{late.json['pid']}").exists(), "No exit handler ran."
        log = server.log
    # A parent sends its workers SIGTERM.
    assert f"Shutdown after {number.name}: " in log
    assert ": 1 requests are under way" in log
    assert "1 requests were finished, 0 requests were cut off at the end" in log
    assert log.count("forumsvc.serving: Stopped") == (processes + 1 if processes > 1 else 1)
    assert log.index("cut off at the end") < log.index("forumsvc.serving: Stopped")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_whole_group_counts_once(tmp_path, number):
    """Service managers and terminals send it to the parent and to its workers."""
    with pserve(tmp_path, processes=2, graceful_timeout=NEVER) as server:
        with slow_request(server) as connection:
            os.killpg(server.process.pid, number)
            wait_until(server.refuses_connections, "nobody else is let in")
            let_go(server)
            assert read_response(connection).status == 200
        assert server.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("processes", [1, 2])
def test_a_second_interrupt_drops_requests_under_way(tmp_path, processes):
    with (
        pserve(tmp_path, processes=processes, graceful_timeout=NEVER) as server,
        slow_request(server),
    ):
        workers = server.workers()
        server.process.send_signal(signal.SIGINT)
        wait_until(server.refuses_connections, "the end begins")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE) == 0
        assert "1 requests were cut off at the end" in server.log
        assert not any(map(alive, workers))


@pytest.mark.parametrize("processes", [1, 2])
def test_requests_get_no_longer_than_the_graceful_timeout(tmp_path, processes):
    with pserve(tmp_path, processes=processes, graceful_timeout=0) as server, slow_request(server):
        assert server.stop() == 0
        assert "1 requests were cut off at the end" in server.log


@pytest.mark.parametrize("processes", [1, 2])
def test_idle_connections_do_not_delay_the_shutdown(tmp_path, processes):
    with pserve(tmp_path, processes=processes, graceful_timeout=NEVER) as server:
        connection = server.connect()
        connection.request("GET", "/")
        assert read_response(connection).status == 200
        assert server.stop() == 0
        assert connection.sock.recv(1) == b""
        connection.close()


def test_all_connections_from_before_the_shutdown_are_answered(tmp_path):
    with pserve(tmp_path, graceful_timeout=NEVER) as server:
        server.process.send_signal(signal.SIGSTOP)
        connections = [server.connect() for _ in range(5)]
        for connection in connections:
            connection.request("GET", "/")
        server.process.send_signal(signal.SIGTERM)
        server.process.send_signal(signal.SIGCONT)
        assert [read_response(connection).status for connection in connections] == [200] * 5
        for connection in connections:
            connection.close()
        assert server.process.wait(PATIENCE) == 0


def test_workers_that_hang_at_the_end_are_killed(tmp_path):
    with pserve(tmp_path, processes=2, graceful_timeout=0) as server:
        wait_until(lambda: len(server.workers()) == 2, "two workers run")
        stuck = server.workers()[0]
        os.kill(stuck, signal.SIGSTOP)
        assert server.stop() == 0
        assert not alive(stuck)


def test_requests_that_wait_for_a_thread_are_answered_and_not_logged(tmp_path):
    with pserve(tmp_path, threads=1) as server:
        with slow_request(server) as connection:
            waiting = [server.connect() for _ in range(3)]
            for other in waiting:
                other.request("GET", "/")
            got: list[int] = []
            reader = threading.Thread(target=lambda: got.append(read_response(connection).status))
            reader.start()
            let_go(server)
            reader.join(PATIENCE)
            assert got == [200]
            assert [read_response(other).status for other in waiting] == [200] * 3
            for other in waiting:
                other.close()
        assert "queue depth" not in server.log


@pytest.mark.parametrize("status", [204, 304])
def test_an_answer_without_a_body_leaves_the_connection_open(tmp_path, status):
    with pserve(tmp_path) as server:
        connection = server.connect()
        connection.request("GET", "/")
        first = read_response(connection)
        own = connection.sock
        for _ in range(2):
            connection.request("GET", f"/bodiless/{status}")
            bare = read_response(connection)
            assert (bare.status, bare.body) == (status, b"")
            assert not {"connection", "content-length", "transfer-encoding"} & bare.headers.keys()
        connection.request("GET", "/")
        assert read_response(connection).json["pid"] == first.json["pid"]
        assert connection.sock is own
        connection.request("GET", f"/bodiless/{status}", headers={"Connection": "close"})
        assert read_response(connection).headers["connection"] == "close"
        connection.close()


def test_a_unix_socket_is_served(tmp_path):
    path = f"/tmp/forumsvc-test-{os.getpid()}.sock"  # noqa: S108 - tmp_path may be too long for it
    with pserve(tmp_path, processes=2, unix_socket=path, unix_socket_perms="660") as server:
        assert f"forumsvc serves on unix:{path}" in server.log
        assert os.stat(path).st_mode & 0o777 == 0o660
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE)
            client.connect(path)
            client.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert client.recv(15) == b"HTTP/1.0 200 OK"
        assert server.stop() == 0
    os.remove(path)
