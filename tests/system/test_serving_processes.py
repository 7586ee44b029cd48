"""Several processes on one address: each answers on its own core; dead ones are replaced."""

import os
import resource
import signal
from contextlib import ExitStack, closing
from functools import partial
from typing import Any

import pytest

from tests.system.process import alive, suspended, wait_until
from tests.system.pserve import Pserve, pserve, read_response

CORES = sorted(os.sched_getaffinity(0))


def answers_of_each(server: Pserve) -> dict[int, Any]:
    """Return each worker's own data, by its process id."""
    found = {}
    for pid in server.workers():
        others = [other for other in server.workers() if other != pid]
        with suspended(*others):
            found[pid] = server.get("/").json
    return found


def test_every_process_answers_on_the_one_address(tmp_path):
    with pserve(tmp_path, processes=3) as server:
        wait_until(lambda: len(server.workers()) == 3, "three workers run")
        answers = answers_of_each(server)
        assert {pid: says["pid"] for pid, says in answers.items()} == {
            pid: pid for pid in server.workers()
        }
        assert {says["worker"] for says in answers.values()} == {"1", "2", "3"}
        assert [says["warmed"] for says in answers.values()] == [["at the start"]] * 3


def test_a_worker_that_hangs_gets_no_new_connections(tmp_path):
    with pserve(tmp_path, processes=2) as server, ExitStack() as connections:
        wait_until(lambda: len(server.workers()) == 2, "two workers run")
        one, other = answers_of_each(server)
        with suspended(other):
            workers = [ask_and_stay(server, connections) for _ in range(20)]
        assert workers == [one] * 20


def test_a_process_may_open_more_files_than_the_soft_limit_allowed(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        with pserve(tmp_path) as server:
            raised, _ = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert raised > 256


def ask_and_stay(server: Pserve, connections: ExitStack) -> int:
    """Send a request on a new connection that stays open, and return the answering process."""
    connection = connections.enter_context(closing(server.connect()))
    connection.request("GET", "/")
    return int(read_response(connection).json["pid"])


def test_each_process_stays_on_a_core_and_knows_the_others(tmp_path):
    with pserve(tmp_path, processes=len(CORES)) as server:
        wait_until(lambda: len(server.workers()) == len(CORES) or CORES[1:] == [], "workers run")
        answers = answers_of_each(server) if CORES[1:] else {0: server.get("/").json}
        assert sorted(says["cores"] for says in answers.values()) == [[core] for core in CORES]
        assert {says["all_cores"] for says in answers.values()} == {",".join(map(str, CORES))}


def test_a_single_process_serves_in_place_and_pinned(tmp_path):
    with pserve(tmp_path) as server:
        says = server.get("/").json
        assert says["pid"] == server.process.pid
        assert says["worker"] == "1"
        assert says["cores"] == CORES[-1:]
        assert server.workers() == []


def test_pinning_can_be_turned_off(tmp_path):
    with pserve(tmp_path, pin="false") as server:
        assert server.get("/").json["cores"] == CORES


def test_auto_is_one_process_a_core(tmp_path):
    expected = len(CORES) if len(CORES) > 1 else 0
    with pserve(tmp_path, processes="auto") as server:
        wait_until(lambda: len(server.workers()) == expected, "a worker a core runs")


def test_callbacks_of_the_fork_run_in_each_worker(tmp_path):
    with pserve(tmp_path, processes=2) as server:
        says = server.get("/").json
        assert says["forked"] == [says["pid"]]


def test_a_killed_worker_is_replaced_under_its_number(tmp_path):
    with pserve(tmp_path, processes=2) as server:
        wait_until(lambda: len(server.workers()) == 2, "two workers run")
        before = answers_of_each(server)
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: len({*server.workers()} - {*before}) == 1, "a new worker comes")
        wait_until(lambda: len(server.workers()) == 2, "two workers run again")
        after = answers_of_each(server)
        (newcomer,) = after.keys() - before.keys()
        assert after[newcomer]["worker"] == before[victim]["worker"]
        assert after[newcomer]["cores"] == before[victim]["cores"]
        assert f"Worker {before[victim]['worker']} (process {victim}) ended with -9" in server.log


def test_a_worker_that_keeps_dying_waits_longer_each_time(tmp_path):
    with pserve(tmp_path, processes=2) as server:
        for delay in ("0.1", "0.2", "0.4"):
            wait_until(lambda: len(server.workers()) == 2, "two workers run")
            wait_until(lambda: worker_1(server) in server.workers(), "worker 1 is one of them")
            os.kill(worker_1(server), signal.SIGKILL)
            wait_until(partial(says, server, f"starts in {delay} s"), f"a delay of {delay} s")


def says(server: Pserve, text: str) -> bool:
    return text in server.log


def worker_1(server: Pserve) -> int:
    lines = [line for line in server.log.splitlines() if "Worker 1 is process" in line]
    return int(lines[-1].split()[-1])


def test_a_killed_parent_leaves_no_orphans(tmp_path):
    with pserve(tmp_path, processes=2) as server:
        wait_until(lambda: len(server.workers()) == 2, "two workers run")
        workers = server.workers()
        server.process.kill()
        wait_until(lambda: not any(map(alive, workers)), "the workers end with their parent")
        assert server.refuses_connections()


@pytest.mark.parametrize("processes", [1, 2])
def test_the_reloader_has_one_process_that_serves(tmp_path, processes):
    with pserve(tmp_path, "--reload", processes=processes) as server:
        (serving,) = server.workers()
        says = server.get("/").json
        assert says["pid"] == serving
        assert says["forked"] == []
