"""Child processes of a pinned server use every core again."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from forumsvc import cpu_affinity
from forumsvc.sandbox import SandboxProcess
from tests.cases import each

ROOT = Path(__file__).parents[2]
LOOK = "import os, json; from forumsvc import cpu_affinity; cpu_affinity.unpin();"
LOOK += "print(json.dumps(sorted(os.sched_getaffinity(0))))"


@pytest.fixture
def allowed() -> Iterator[list[int]]:
    """All cores of this process, which is pinned to the first of them during the test."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield sorted(before)
    os.sched_setaffinity(0, before)


@each("written", [None, "", "x", "9999", "-1"])
def test_a_child_of_a_pinned_process_goes_back_on_all_cores(
    allowed: list[int], written: str | None
) -> None:
    environment = {key: value for key, value in os.environ.items() if key != cpu_affinity.CORES}
    environment["PYTHONPATH"] = str(ROOT)
    if written is not None:
        environment[cpu_affinity.CORES] = written
    done = subprocess.run([sys.executable, "-c", LOOK], env=environment, capture_output=True)
    found = json.loads(done.stdout)
    assert set(found) >= ({min(allowed)} if written == "9999" else set(allowed))


def test_a_child_uses_only_the_server_s_cores(
    allowed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cpu_affinity.CORES, str(max(allowed)))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, check=True)
    assert json.loads(done.stdout) == [max(allowed)]


def test_a_sandbox_process_of_a_pinned_server_uses_all_cores(
    allowed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cpu_affinity.CORES, ",".join(map(str, allowed)))
    with SandboxProcess("tests.unit.sandbox.task", 1 << 30) as process:
        process.wait_until_ready()
        assert sorted(os.sched_getaffinity(process.pid)) == allowed
