"""The benchmark runs, counts errors and cleans up after itself."""

import csv
import os
import re
import subprocess
import sys

from tests.system.process import PATIENCE, alive, children, wait_until
from tests.system.pserve import ROOT

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


def test_the_table_has_the_pyramid_baseline_beside_itself(tmp_path):
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


def test_a_short_soak_is_answered_well_and_leaves_all_right():
    command = [sys.executable, "-m", "benchmarks.soak", "--requests", "400"]
    command += ["--database", "sqlite", "--users", "30", "--topics", "90", "--replies", "300"]
    done = subprocess.run(
        command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=4 * PATIENCE
    )
    # On a busy machine a member may be told to wait for the rendering of their last text.
    statuses = set(re.findall(r"^\d+ times: .*?: (\d+) ", done.stdout + done.stderr, re.M))
    assert statuses <= {"429"}, done.stdout + done.stderr
    for what in ("wrong counters", "wrong documents", "lost deliveries", "unread consumers"):
        assert f"no {what}: kept" in done.stdout, done.stdout + done.stderr
    assert not re.search(r"\b0 deliveries", done.stdout), done.stdout


def test_an_interrupted_benchmark_leaves_no_server():
    benchmark = start_benchmark("--rounds", "1000")
    wait_until(lambda: len(children(benchmark.pid)) == 3, "two servers and the load run")
    started = children(benchmark.pid)
    benchmark.terminate()
    benchmark.communicate(timeout=PATIENCE)
    wait_until(lambda: not any(map(alive, started)), "all that it started ends")
