"""A sandbox process has limits, an empty environment, and no life of its own."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

import psutil
import pytest

from forumsvc.process import cpu_affinity
from forumsvc.sandbox import CpuLimitError, CrashError, DeadlineError, SandboxProcess
from tests.cases import each
from tests.system.process import PATIENCE

TASK = "tests.unit.sandbox.task"
MEMORY = 1 << 30
CPU_SECONDS = 0.2


@pytest.fixture
def process() -> Iterator[SandboxProcess]:
    with SandboxProcess(TASK, MEMORY) as process:
        process.wait_until_ready()
        yield process


def result(process: SandboxProcess, *job: object, cpu_seconds: float = 20.0) -> dict[str, object]:
    deadline = time.monotonic() + PATIENCE
    process.send(job, cpu_seconds, deadline)
    return process.receive(deadline)


def test_a_long_job_and_its_long_result_arrive_whole(process):
    text = "ä\n" * 500_000
    assert result(process, "echo", text)["done"] == text


def test_the_environment_is_empty_but_for_the_cores(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    with SandboxProcess(TASK, MEMORY) as process:
        process.wait_until_ready()
        seen = result(process, "environment")["done"]
    assert isinstance(seen, dict)
    # LC_CTYPE is Python's own, where there is no locale (PEP 538).
    assert seen.keys() <= {cpu_affinity.CORES, "LC_CTYPE"}


def test_a_job_that_spins_is_ended_by_the_system(process):
    with pytest.raises(CpuLimitError) as caught:
        result(process, "spin", cpu_seconds=CPU_SECONDS)
    assert caught.value.cpu_seconds == CPU_SECONDS


def test_each_job_has_the_whole_processor_time(process):
    for _ in range(3):
        assert "error" not in result(
            process, "use time", 0.6 * CPU_SECONDS, cpu_seconds=CPU_SECONDS
        )


def test_a_job_that_only_waits_runs_into_the_deadline(process):
    process.send(("sleep", 1000), 20, time.monotonic() + PATIENCE)
    with pytest.raises(DeadlineError):
        process.receive(time.monotonic() + 0.05)


def test_an_exception_is_answered_by_name_and_the_next_job_done(process):
    assert result(process, "raise")["error"] == "RuntimeError"
    assert result(process, "echo", 1)["done"] == 1


@each("job", [("exit", 0), ("exit", 3), ("kill", int(signal.SIGSEGV))])
def test_a_process_that_ends_in_its_job_is_a_crash(process, job):
    with pytest.raises(CrashError):
        result(process, *job)
    assert not process.alive


def test_a_process_that_grew_large_answers_and_takes_no_more_jobs(process):
    assert result(process, "keep memory", 200 << 20)["exiting"] is True
    assert not process.alive


def test_what_arrives_during_a_job_does_not_end_the_process(process):
    deadline = time.monotonic() + PATIENCE
    process.send(("sleep", 0.3), 20, deadline)
    with pytest.raises(DeadlineError):
        process.receive(time.monotonic() + 0.05)
    process.send(("sleep", 0.3), 20, deadline)
    assert ["error" in process.receive(deadline) for _ in range(2)] == [False, False]


def test_a_process_ignores_the_interrupt_of_the_terminal(process):
    os.kill(process.pid, signal.SIGINT)
    assert result(process, "echo", 1)["done"] == 1
    assert os.getpgid(process.pid) != os.getpgid(0)


def test_a_file_that_is_given_can_be_written():
    with tempfile.TemporaryFile() as file, SandboxProcess(TASK, MEMORY, [file.fileno()]) as process:
        process.wait_until_ready()
        assert result(process, "write", file.fileno(), "x")["done"] == 1
        assert os.pread(file.fileno(), 10, 0) == b"x"


def test_a_task_that_does_not_load_is_an_error_of_the_system():
    with SandboxProcess("tests.unit.sandbox.none", MEMORY) as process, pytest.raises(OSError):  # noqa: PT011
        process.wait_until_ready()


@each("job", [None, ("sleep", 1000)])
def test_a_process_ends_with_the_one_that_started_it(job):
    program = f"""
import os, time
from forumsvc.sandbox import SandboxProcess
process = SandboxProcess({TASK!r}, {MEMORY})
process.wait_until_ready()
if {job!r}:
    process.send({job!r}, 1000, time.monotonic() + 100)
    # The job has begun when the process is no longer waiting for input.
    time.sleep(0.2)
print(process.pid, flush=True)
os.kill(os.getpid(), 9)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=PATIENCE,
    )
    pid = int(done.stdout)
    orphans = [psutil.Process(pid)] if psutil.pid_exists(pid) else []
    assert psutil.wait_procs(orphans, timeout=10)[1] == []
