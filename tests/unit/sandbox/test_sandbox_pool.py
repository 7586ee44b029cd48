"""How jobs share processes: acquired, kept, with spares beside slow ones."""

import errno
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import psutil
import pytest

from forumsvc.sandbox import (
    CpuLimitError,
    CrashError,
    DeadlineError,
    PoolBusyError,
    SandboxError,
    SandboxPool,
)
from forumsvc.sandbox.process import SandboxProcess
from tests.system.process import PATIENCE, repeat_until, wait_until
from tests.unit.sandbox.test_sandbox_process import MEMORY, TASK


@pytest.fixture
def pool() -> Iterator[SandboxPool]:
    pool = SandboxPool(TASK, 2, MEMORY)
    yield pool
    pool.close(0)


def run(pool: SandboxPool, *job: Any, cpu_seconds: float = 20, wall: float = PATIENCE) -> Any:
    return pool.run(job, cpu_seconds, wall)["done"]


@contextmanager
def slow_jobs(pool: SandboxPool, count: int) -> Iterator[ThreadPoolExecutor]:
    """Keep so many processes busy with jobs that are slow, and known to be."""
    with ThreadPoolExecutor(count) as threads:

        def sleep() -> None:
            with suppress(SandboxError):
                run(pool, "sleep", 1000, cpu_seconds=0.01)

        for _ in range(count):
            threads.submit(sleep)
        wait_until(lambda: len(pool._busy) == count and pool._idle != [], "a spare is there")
        yield threads
        for process in list(pool._busy):
            psutil.Process(process.pid).kill()


def test_nothing_starts_before_the_first_job_and_then_all_processes(pool):
    assert pool.alive == 0
    assert run(pool, "echo", 1) == 1
    assert pool.alive == 2


def test_processes_that_were_started_before_get_the_jobs(pool):
    pool.start()
    before = {process.pid for process in pool._idle}
    assert len(before) == 2
    pool.start()
    assert pool.alive == 2
    assert run(pool, "pid") in before


def test_eight_threads_get_their_own_results(pool):
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda n: run(pool, "echo", n), range(200))) == list(range(200))


def test_more_slow_jobs_than_slots_delay_no_other(pool):
    with slow_jobs(pool, 4):
        assert run(pool, "echo", 1) == 1
        assert len(pool._busy) == 4


def test_slow_jobs_have_no_more_than_five_processes_a_slot(pool):
    small = SandboxPool(TASK, 1, MEMORY)
    with ThreadPoolExecutor(6) as threads:
        jobs = [
            threads.submit(run, small, "sleep", 1000, cpu_seconds=0.01, wall=1000) for _ in range(6)
        ]
        wait_until(lambda: len(small._busy) == 5, "all places are taken")
        with pytest.raises(PoolBusyError):
            run(small, "echo", 1, wall=0.05)
        assert small.alive == 5
        for _ in repeat_until(lambda: all(job.done() for job in jobs), "all jobs end"):
            for process in list(small._busy):
                with suppress(psutil.NoSuchProcess):
                    psutil.Process(process.pid).kill()
            time.sleep(0.01)
    small.close(0)


def test_spares_that_are_not_needed_any_more_end(pool):
    with slow_jobs(pool, 3), ThreadPoolExecutor(3) as threads:
        list(threads.map(lambda _: run(pool, "sleep", 0.05, cpu_seconds=0.01), range(3)))
    assert pool.alive <= 2


def test_a_job_that_finds_no_process_in_time_is_refused(pool):
    with ThreadPoolExecutor(2) as threads:
        waiting = [threads.submit(run, pool, "sleep", 1) for _ in range(2)]
        wait_until(lambda: len(pool._busy) == 2, "both are busy")
        with pytest.raises(PoolBusyError) as caught:
            run(pool, "echo", 1, wall=0)
        assert caught.value.cpu_seconds == 0
        assert [one.result() for one in waiting] == [None, None]
    assert pool.killed == 0


def test_the_time_of_a_job_begins_with_its_wait(pool):
    run(pool, "echo", 1)
    with ThreadPoolExecutor(2) as threads:
        waiting = [threads.submit(run, pool, "sleep", 0.2) for _ in range(2)]
        wait_until(lambda: len(pool._busy) == 2, "both are busy")
        with pytest.raises(DeadlineError):
            run(pool, "sleep", 1000, wall=0.5)
        assert [one.result() for one in waiting] == [None, None]


def test_a_job_without_a_result_takes_its_process_along_and_no_other(pool):
    first = run(pool, "pid")
    with pytest.raises(CpuLimitError):
        run(pool, "spin", cpu_seconds=0.05)
    assert not psutil.pid_exists(first)
    assert run(pool, "echo", 1) == 1
    assert pool.killed == 1


def test_a_process_that_was_killed_while_it_waited_is_replaced(pool):
    victim = psutil.Process(run(pool, "pid"))
    victim.kill()
    wait_until(lambda: victim.status() == psutil.STATUS_ZOMBIE, "the process ends")
    assert run(pool, "echo", 1) == 1


def test_close_waits_for_busy_processes_and_a_later_job_starts_new_ones(pool):
    with ThreadPoolExecutor(1) as threads:
        last = threads.submit(run, pool, "sleep", 0.2)
        wait_until(lambda: len(pool._busy) == 1, "it is busy")
        pool.close(PATIENCE)
        assert last.result() is None
    assert pool.alive == 0
    assert run(pool, "echo", 1) == 1


def test_a_forked_child_has_processes_of_its_own(pool):
    parents = run(pool, "pid")
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, str(run(pool, "pid")).encode())
            pool.close(0)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    own = int(os.read(read, 100))
    os.close(read)
    os.close(write)
    assert own != parents
    assert not psutil.pid_exists(own)
    assert run(pool, "pid") == parents


def test_jobs_leave_no_descriptor_behind(pool):
    run(pool, "echo", 1)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(CrashError):
            run(pool, "exit", 1)
    run(pool, "echo", 1)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_job_runs_though_no_spare_can_be_started_and_its_process_is_free_afterwards(
    pool, monkeypatch
):
    started: list[SandboxProcess] = []
    start = pool._start

    def start_once() -> SandboxProcess:
        if started:
            raise OSError(errno.EMFILE, "too many open files")
        started.append(start())
        return started[0]

    monkeypatch.setattr(pool, "_start", start_once)
    for _ in range(3):
        run(pool, "sleep", 0)
    assert pool._busy == set()
    assert pool.alive == 1
