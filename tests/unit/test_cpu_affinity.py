"""Child processes of a pinned server use every core again."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from forumsvc.process import cpu_affinity
from forumsvc.sandbox import SandboxProcess

ROOT = Path(__file__).parents[2]
LOOK = "import os, json; from forumsvc.process import cpu_affinity; cpu_affinity.unpin();"
LOOK += "print(json.dumps(sorted(os.sched_getaffinity(0))))"


@pytest.fixture
def allowed() -> Iterator[list[int]]:
    """All cores of this process, which is pinned to the first of them during the test."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield sorted(before)
    os.sched_setaffinity(0, before)


def test_a_child_of_a_pinned_process_goes_back_on_the_cores_of_the_server(allowed, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for written, cores in ((str(max(allowed)), [max(allowed)]), ("x", allowed)):
        monkeypatch.setenv(cpu_affinity.CORES, written)
        done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, check=True)
        assert json.loads(done.stdout) == cores


def test_a_sandbox_process_of_a_pinned_server_uses_all_cores(allowed, monkeypatch):
    monkeypatch.setenv(cpu_affinity.CORES, ",".join(map(str, allowed)))
    with SandboxProcess("tests.unit.sandbox.task", 1 << 30) as process:
        process.wait_until_ready()
        assert sorted(os.sched_getaffinity(process.pid)) == allowed
