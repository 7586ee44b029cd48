"""A worker that hangs is replaced, one that works for a long time is not."""

import os
import signal

from tests.system.process import hangs, wait_until
from tests.system.pserve import Pserve, pserve, read_response
from tests.system.test_serving_stop import let_go, slow_request


def workers_of(server: Pserve) -> list[int]:
    wait_until(lambda: len(server.workers()) == 2, "two workers run")
    return server.workers()


def wait_for_successor(server: Pserve, victim: int) -> None:
    """Return when two workers run, without the victim."""
    wait_until(lambda: victim not in server.workers(), "the one that hangs is gone")
    wait_until(lambda: len(server.workers()) == 2, "two workers run again")


def test_a_worker_all_of_whose_threads_are_stuck_is_replaced(tmp_path):
    with (
        pserve(tmp_path, processes=2, threads=1, worker_timeout_seconds=1) as server,
        slow_request(server),
    ):
        before = workers_of(server)
        wait_until(lambda: "hangs and is killed" in server.log, "it is killed")
        assert "hangs and is killed: all its threads work on the same requests" in server.log
        wait_until(lambda: len({*server.workers()} - {*before}) == 1, "a new one comes")


def test_a_worker_with_one_long_request_stays(tmp_path):
    with (
        pserve(tmp_path, processes=2, threads=2, worker_timeout_seconds=1) as server,
        slow_request(server) as connection,
    ):
        (mark,) = server.notes.glob("slow-*")
        (victim,) = {*workers_of(server)} - {int(mark.name.removeprefix("slow-"))}
        os.kill(victim, signal.SIGSTOP)
        # It began to hang after the long request had begun.
        wait_for_successor(server, victim)
        let_go(server)
        assert read_response(connection).status == 200
        assert server.log.count("hangs and is killed") == 1


def test_a_timeout_of_0_replaces_no_worker_that_hangs(tmp_path):
    with pserve(tmp_path, processes=2, worker_timeout_seconds=0) as server:
        victim = workers_of(server)[0]
        os.kill(victim, signal.SIGSTOP)
        wait_until(lambda: hangs(victim), "it hangs")
        os.kill(victim, signal.SIGCONT)
        assert victim in server.workers()
