"""The benchmark runs, counts errors and cleans up after itself."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.load import burst
from benchmarks.request import Request, ask_json, get, send
from benchmarks.soak import Tenth, bounds
from tests.system.process import PATIENCE, alive, children, wait_until
from tests.system.pserve import ROOT, pserve

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def start_benchmark(*arguments: str) -> "subprocess.Popen[str]":
    """Start a benchmark of the Pyramid baseline alone, with no database."""
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.run", "--quick", "--databases", *arguments],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_the_table_has_the_pyramid_baseline_beside_itself(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    benchmark = start_benchmark("--csv", str(table))
    printed, _ = benchmark.communicate(timeout=2 * PATIENCE)
    assert benchmark.returncode == 0
    [row] = csv.DictReader(table.read_text().splitlines())
    assert row["endpoint"] == "the baseline itself"
    assert float(row["requests/s"].replace(",", "")) > 0
    assert float(row["of the baseline"]) > 0
    assert row["errors"] == "0"
    assert f" {row['requests/s']} |" in printed


def test_a_short_soak_is_answered_well_and_leaves_every_counter_right() -> None:
    command = [sys.executable, "-m", "benchmarks.soak", "--requests", "400"]
    command += ["--database", "sqlite", "--users", "30", "--topics", "90", "--replies", "300"]
    done = subprocess.run(
        command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=4 * PATIENCE
    )
    # On a busy machine a member may be told to wait for the rendering of their last text.
    statuses = set(re.findall(r"^\d+ times: .*?: (\d+) ", done.stdout + done.stderr, re.M))
    assert statuses <= {"429"}, done.stdout + done.stderr
    assert "no wrong counters: kept" in done.stdout, done.stdout + done.stderr


def test_a_soak_without_a_write_in_a_tenth_has_its_bounds() -> None:
    tenths = [
        Tenth(reads=[0.002], writes=writes, seconds=1.0, megabytes=100.0)
        for writes in ([0.004], [], [0.004])
    ]
    assert all(bounds(tenths, 0).values())
    assert not all(bounds(tenths, 1).values())


def test_an_interrupted_benchmark_leaves_no_server() -> None:
    benchmark = start_benchmark("--rounds", "1000")
    wait_until(lambda: len(children(benchmark.pid)) == 3, "two servers and the load run")
    started = children(benchmark.pid)
    benchmark.terminate()
    benchmark.communicate(timeout=PATIENCE)
    wait_until(lambda: not any(map(alive, started)), "all that it started ends")


@pytest.mark.parametrize(("path", "fails"), [("/", False), ("/fails", True)])
def test_the_load_counts_answers_that_are_errors(tmp_path: Path, path: str, fails: bool) -> None:
    with pserve(tmp_path) as server:
        found = burst(server.port, [get(path)], 4, 0.2)
        assert found.requests > 0
        assert (found.errors >= found.requests) if fails else (found.errors == 0)
        assert 0 < found.p50 <= found.p99


def test_the_load_sends_bodies_and_tokens(tmp_path: Path) -> None:
    request = send("POST", "/", "secret", {"text": "ü"})
    assert request.headers["Authorization"] == "Bearer secret"
    with pserve(tmp_path) as server:
        says = ask_json(server.port, request)
    assert says["received"] == len(json.dumps({"text": "ü"}))


def test_a_failing_request_ends_the_set_up(tmp_path: Path) -> None:
    with pserve(tmp_path) as server, pytest.raises(RuntimeError, match="GET /fails: 500"):
        ask_json(server.port, Request("GET", "/fails"))
