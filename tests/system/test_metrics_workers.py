"""/metrics of several processes: each reports all of them, including new and ended ones."""

import os
import re
import signal
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.databases import on_sqlite
from tests.functional.forum import API
from tests.functional.metric_samples import MetricSamples
from tests.system.forum_process import serving
from tests.system.process import suspended, wait_until
from tests.system.pserve import Pserve

serve = partial(serving, metrics__enabled="true")
pytestmark = on_sqlite

REQUESTS = "forumsvc_requests_total"
UP = "forumsvc_worker_up"
STARTED = "process_start_time_seconds"


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of temporary files; short, because a socket's path has at most 107 bytes."""
    with tempfile.TemporaryDirectory() as name:
        monkeypatch.setenv("TMPDIR", name)
        yield Path(name)


def scrape(server: Pserve) -> MetricSamples:
    return MetricSamples.of(server.get("/metrics").body.decode())


def up(server: Pserve) -> dict[str, float]:
    """Return which workers reported metrics."""
    return scrape(server).by("worker", UP)


def listed_by(figures: MetricSamples) -> dict[str, float]:
    """Return how often each worker has listed the nodes."""
    return {
        labels["worker"]: value
        for name, labels, value in figures.samples
        if name == REQUESTS and labels["operation"] == "nodes.list_nodes"
    }


def ask_each(server: Pserve) -> None:
    """List the nodes once in each worker."""
    for pid in server.workers():
        others = [other for other in server.workers() if other != pid]
        with suspended(*others):
            assert server.get(f"{API}/nodes").status == 200


def pid_of(server: Pserve, number: str) -> int:
    return int(re.findall(rf"Worker {number} is process (\d+)", server.log)[-1])


def test_one_worker_reports_the_metrics_of_all(tmp_path, database_url, temporary):
    with serving(
        tmp_path, database_url, processes=2, worker=False, metrics__enabled="true"
    ) as server:
        wait_until(lambda: up(server) == {"1": 1, "2": 1}, "both workers tell")
        ask_each(server)
        for number in "12":
            assert f"worker-{number} forumsvc.access: 127.0.0.1 - GET {API}/nodes 200" in server.log
        figures = scrape(server)
        assert listed_by(figures) == {"1": 1, "2": 1}
        before = figures.by("worker", STARTED)
        assert before.keys() == {"1", "2"}

        with suspended(pid_of(server, "2")):
            assert up(server) == {"1": 1, "2": 0}

        os.kill(pid_of(server, "1"), signal.SIGKILL)
        wait_until(lambda: scrape(server).by("worker", STARTED).keys() == {"2"}, "one has gone")
        wait_until(lambda: up(server) == {"1": 1, "2": 1}, "another has come")
        figures = scrape(server)
        assert listed_by(figures) == {"2": 1}
        after = figures.by("worker", STARTED)
        assert after["2"] == before["2"]
        assert after["1"] > before["1"]

        (folder,) = temporary.glob("forumsvc-workers-*")
        assert folder.stat().st_mode & 0o777 == 0o700
        assert len(list(folder.iterdir())) == 2
        server.stop()
        assert list(temporary.iterdir()) == []


def test_a_single_process_reports_its_metrics_without_files(tmp_path, database_url, temporary):
    with serve(tmp_path, database_url, worker=False) as server:
        assert up(server) == {"1": 1}
        assert list(temporary.iterdir()) == []


def test_the_background_worker_reports_its_metrics_and_is_replaced(
    tmp_path, database_url, temporary
):
    with serve(tmp_path, database_url) as server:
        wait_until(lambda: up(server) == {"1": 1, "background": 1}, "both tell")
        before = scrape(server).by("worker", STARTED)["background"]
        [pid] = re.findall(r"The background worker is process (\d+)", server.log)
        os.kill(int(pid), signal.SIGKILL)

        def is_another() -> bool:
            return scrape(server).by("worker", STARTED).get("background", 0) > before

        wait_until(is_another, "another one")
        assert scrape(server).by("worker", REQUESTS).keys() == {"1"}
