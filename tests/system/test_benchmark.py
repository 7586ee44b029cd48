"""The benchmark runs, counts errors and cleans up after itself."""

import cProfile
import json
import os
import random
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import document, rendering, soak
from benchmarks.endpoints import TEXT
from benchmarks.load import python
from benchmarks.rendering import TEXT_KINDS
from benchmarks.request import Request, get, send
from benchmarks.servers import Server
from benchmarks.soak import Tenth
from forumsvc.markup.pipeline import Pipeline
from tests.system.process import PATIENCE, alive, children, wait_until
from tests.system.pserve import ROOT, Pserve, pserve


def start_benchmark(*arguments: str) -> "subprocess.Popen[str]":
    """Start a benchmark of the Pyramid baseline alone, with no database."""
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.run", "--quick", "--databases", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def as_measured(server: Pserve) -> Server:
    """Return a started pserve as the benchmark's Server."""
    return Server("test", server.process.pid, server.port, server.output)


def test_the_table_has_the_pyramid_baseline_beside_itself(tmp_path: Path) -> None:
    table = tmp_path / "table.md"
    benchmark = start_benchmark("--markdown", str(table))
    printed, _ = benchmark.communicate(timeout=2 * PATIENCE)
    assert benchmark.returncode == 0
    (line,) = [
        line for line in printed.splitlines() if line.startswith("| Pyramid baseline | nobody")
    ]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert float(cells[2].replace(",", "")) > 0
    assert cells[-1] == "0"
    assert line in table.read_text()


def test_a_table_is_written_in_its_place_and_the_prose_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Before\n\n<!-- begin one -->\nold\n<!-- end one -->\n\nAfter.\n")
    document.replace_part(page, "one", "new")
    document.replace_part(page, "two", "another")
    document.replace_part(page, "one", "newer")
    assert page.read_text() == (
        "# Before\n\n<!-- begin one -->\n\nnewer\n\n<!-- end one -->\n\nAfter.\n"
        "\n<!-- begin two -->\n\nanother\n\n<!-- end two -->\n"
    )


def test_a_short_soak_is_answered_well_and_leaves_every_counter_right() -> None:
    command = [sys.executable, "-m", "benchmarks.soak", "--requests", "400"]
    command += ["--database", "sqlite", "--users", "30", "--topics", "90", "--replies", "300"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=4 * PATIENCE
    )
    kept = dict(re.findall(r"^\| ([a-z]+)\b.*\| (\w+) \|$", done.stdout, re.M))
    # On a busy machine a member may be told to wait for the rendering of their last text.
    statuses = set(re.findall(r"^\d+ times: .*?: (\d+) ", done.stdout + done.stderr, re.M))
    assert statuses <= {"429"}, done.stdout + done.stderr
    assert kept.keys() >= {"errors", "wrong"}, done.stdout + done.stderr
    assert kept["wrong"] == "kept", done.stdout + done.stderr


def test_a_soak_without_a_write_in_a_tenth_has_its_report() -> None:
    tenths = [
        Tenth(reads=[0.002], writes=writes, seconds=1.0, megabytes=100.0)
        for writes in ([0.004], [], [0.004])
    ]
    text = soak.report(tenths, 90.0, {"wrong": 0, "checked": 10})
    assert "| p50, last tenth of second: under 1.5 | 1.00 | kept |" in text


def test_an_interrupted_benchmark_leaves_no_server() -> None:
    benchmark = start_benchmark("--rounds", "1000")
    wait_until(lambda: len(children(benchmark.pid)) == 3, "two servers and the load run")
    started = children(benchmark.pid)
    benchmark.terminate()
    benchmark.communicate(timeout=PATIENCE)
    wait_until(lambda: not any(map(alive, started)), "all that it started ends")


@pytest.mark.parametrize(("path", "fails"), [("/", False), ("/fails", True)])
def test_the_driver_counts_answers_that_are_errors(tmp_path: Path, path: str, fails: bool) -> None:
    with pserve(tmp_path) as server:
        burst = python(as_measured(server), [get(path)], 4, 0.2)
        assert burst.requests > 0
        assert (burst.errors >= burst.requests) if fails else (burst.errors == 0)
        assert 0 < burst.p50 <= burst.p99


def test_the_driver_sends_bodies_and_tokens(tmp_path: Path) -> None:
    request = send("POST", "/", "secret", {"text": "ü"})
    assert request.headers["Authorization"] == "Bearer secret"
    with pserve(tmp_path) as server:
        says = as_measured(server).request_json(request)
    assert says["received"] == len(json.dumps({"text": "ü"}))


def test_a_failing_request_ends_the_set_up(tmp_path: Path) -> None:
    with pserve(tmp_path) as server, pytest.raises(RuntimeError, match="GET /fails: 500"):
        as_measured(server).request_json(Request("GET", "/fails"))


def test_what_a_text_adds_to_a_write_is_measured_by_kind() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.rendering", "--texts", "20"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1)  # whether this machine is busy
    rows = [line.split(" | ") for line in done.stdout.splitlines() if " ms |" in line]
    assert [row[0].removeprefix("| ") for row in rows] == list(TEXT_KINDS)
    assert all(float(row[1].removesuffix(" ms")) > 0 for row in rows)


def test_the_texts_that_are_compared_are_each_more_work_than_the_one_before() -> None:
    kinds = [[""], rendering.replies(20, random.Random(1)), [TEXT.format(mentioned="ann")]]  # noqa: S311
    none, ordinary, rich = (statistics.median(map(calls_to_render, texts)) for texts in kinds)
    assert 2 * none < ordinary < rich / 2


def calls_to_render(text: str) -> int:
    """Return how many function calls it takes to render a text: the same on every machine."""
    pipeline, profile = Pipeline(), cProfile.Profile()
    pipeline.render(text, "")
    profile.runcall(pipeline.render, text, "")
    return sum(entry.callcount for entry in profile.getstats())
