"""SIGHUP: new processes with new code and settings take the place of the others."""

import http.client
import signal
import socket
import threading

from tests.system.process import PATIENCE, alive, wait_until
from tests.system.pserve import Pserve, pserve, read_response, serving, start
from tests.system.test_serving_stop import let_go, slow_request

NEVER = 3600


def reload(server: Pserve, workers: int) -> list[int]:
    """Reload, wait until only so many new processes are left, and return their ids."""
    before = server.workers()
    server.get("/")
    server.process.send_signal(signal.SIGHUP)

    def has_reloaded() -> bool:
        now = server.workers()
        return len(now) == workers and not set(now) & set(before)

    wait_until(has_reloaded, "there are only new workers")
    return server.workers()


def test_new_workers_with_new_settings_serve_the_same_address(tmp_path):
    with pserve(tmp_path, processes=2, channel_timeout=1) as server:
        port = server.port
        ini = tmp_path / "serving.ini"
        ini.write_text(ini.read_text().replace("processes = 2", "processes = 3"))
        workers = reload(server, 3)
        assert server.port == port
        assert server.get("/").json["pid"] in workers
        assert server.stop() == 0
        assert not any(map(alive, server.seen))


def test_no_request_is_lost(tmp_path):
    with pserve(tmp_path, processes=2, channel_timeout=2) as server:
        over = threading.Event()
        statuses: list[int] = []
        errors: list[Exception] = []

        def ask(*, keeps: bool) -> None:
            connection = server.connect()
            while not over.is_set():
                try:
                    connection.request("GET", "/")
                    response = connection.getresponse()
                    response.read()
                except (OSError, http.client.HTTPException) as error:
                    errors.append(error)
                    return
                statuses.append(response.status)
                if not keeps:
                    connection.close()
            connection.close()

        threads = [threading.Thread(target=ask, kwargs={"keeps": bool(n % 2)}) for n in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            reload(server, 2)
        over.set()
        for thread in threads:
            thread.join()
        assert errors == []
        assert set(statuses) == {200}
        assert len(statuses) > 100


def test_a_request_under_way_is_finished_by_its_worker(tmp_path):
    with pserve(tmp_path, processes=2, graceful_timeout=NEVER) as server:
        with slow_request(server) as connection:
            before = server.workers()
            server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: server.log.count("Shutdown after SIGHUP:") == 2, "both begin to end")
            let_go(server)
            late = read_response(connection)
        assert late.status == 200
        assert late.json["pid"] in before
        assert late.headers["connection"] == "close"
        wait_until(lambda: not any(map(alive, before)), "the former workers have ended")


def test_an_idle_connection_gets_its_next_answer_from_its_worker(tmp_path):
    with pserve(tmp_path, processes=2) as server:
        connection = server.connect()
        connection.request("GET", "/")
        first = read_response(connection).json["pid"]
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: server.log.count("Shutdown after SIGHUP:") == 2, "both begin to end")
        connection.request("GET", "/")
        answer = read_response(connection)
        assert (answer.json["pid"], answer.headers["connection"]) == (first, "close")
        connection.close()


def test_settings_that_cannot_be_loaded_change_nothing(tmp_path):
    with pserve(tmp_path, processes=2) as server:
        wait_until(lambda: len(server.workers()) == 2, "both workers have started")
        workers = server.workers()
        ini = tmp_path / "serving.ini"
        good = ini.read_text()
        ini.write_text(good.replace("processes = 2", "processes = many"))
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "No reload" in server.log, "the reload is refused")
        assert "[server] processes = many" in server.log
        assert server.get("/").json["pid"] in workers
        assert set(workers) <= set(server.workers())
        ini.write_text(good)
        reload(server, 2)


def test_a_signal_to_end_also_ends_former_workers(tmp_path):
    with pserve(tmp_path, processes=2, graceful_timeout=NEVER) as server:
        connection = server.connect()
        connection.request("GET", "/")
        read_response(connection)
        before = server.workers()
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "former processes end" in server.log, "they are told to end")
        assert server.stop() == 0
        wait_until(lambda: not any(map(alive, before)), "the former workers have ended")
        connection.close()


def test_a_socket_of_systemd_is_served_in_place_of_the_address(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as passed:
        port = passed.getsockname()[1]
        with serving(start(tmp_path, activated_by=passed, processes=2)) as server:
            assert server.port == port
            assert server.get("/").status == 200
            wait_until(lambda: len(server.workers()) == 2, "both workers have started")
            reload(server, 2)
            assert server.get("/").status == 200


def test_before_the_end_requests_are_answered_and_told_of_it(tmp_path):
    with pserve(tmp_path, processes=2, drain_seconds=NEVER) as server:
        assert server.get("/").json["draining"] is False
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: server.get("/").json["draining"], "the application is told")
        assert not server.refuses_connections()
        server.process.send_signal(signal.SIGQUIT)
        assert server.process.wait(PATIENCE) == 0
