"""How texts use the workers: acquired, moved to the overflow, killed."""

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from forumsvc.errors import Unavailable
from forumsvc.markup import Renderer
from forumsvc.markup.plain_text import escape_to_html
from forumsvc.markup.worker_process import WorkerProcess
from tests.system.process import PATIENCE, wait_until
from tests.unit.markup.conftest import WALL_SECONDS
from tests.unit.markup.processes import COMMAND, SLOW, fork_servers, workers


@contextmanager
def all_slots_busy(renderer: Renderer) -> Iterator[None]:
    """Occupy both workers of a renderer."""
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(renderer._pool.acquire(time.monotonic() + 20))
        yield


def test_the_first_text_starts_what_it_needs_and_close_ends_it(renderer: Renderer) -> None:
    before = len(fork_servers()), len(workers())
    renderer.render("x")
    renderer.render("x")
    assert (len(fork_servers()), len(workers())) == (before[0] + 1, before[1] + 1)
    renderer.close()
    assert (len(fork_servers()), len(workers())) == before


def test_texts_at_once_have_as_many_workers_as_are_allowed(renderer: Renderer) -> None:
    before = len(workers())
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(renderer.render, ["x"] * 200))
    assert 1 <= len(workers()) - before <= 2


def test_after_close_a_text_is_rendered_by_new_workers(renderer: Renderer) -> None:
    renderer.render("x")
    renderer.close()
    assert renderer.render("*x*").html == "<p><em>x</em></p>"


def test_a_slow_text_comes_back_escaped_with_a_warning(
    renderer: Renderer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        draft = renderer.render(SLOW)
    assert draft.fallback == "timeout"
    assert draft.html == escape_to_html(SLOW)
    assert draft.mentions == []
    assert "40000 characters" in caplog.text


def test_a_slow_text_takes_its_worker_along(renderer: Renderer) -> None:
    renderer.render("x")
    before = set(workers())
    renderer.render(SLOW)
    assert len(before - set(workers())) == 1
    assert [renderer.render("*x*").html for _ in range(4)] == ["<p><em>x</em></p>"] * 4


def test_more_slow_texts_than_slots_delay_no_other_text(renderer: Renderer) -> None:
    renderer.render("x")
    slow = [threading.Thread(target=renderer.render, args=(SLOW,)) for _ in range(4)]
    for thread in slow:
        thread.start()
    wait_until(lambda: len(renderer._pool._overflow) == len(slow), "all are in the overflow")
    assert renderer.render("*x*").html == "<p><em>x</em></p>"
    assert all(thread.is_alive() for thread in slow)
    for thread in slow:
        thread.join()
    assert not renderer._pool._overflow


def test_the_time_of_a_text_begins_with_its_wait(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadlines = []
    send_job = WorkerProcess.send_job
    begun = threading.Event()
    acquire = renderer._pool.acquire

    def recording_send_job(self: WorkerProcess, job: dict[str, Any], deadline: float) -> None:
        deadlines.append(deadline)
        send_job(self, job, deadline)

    def announced_acquire(deadline: float) -> AbstractContextManager[WorkerProcess]:
        begun.set()
        return acquire(deadline)

    monkeypatch.setattr(WorkerProcess, "send_job", recording_send_job)
    with ThreadPoolExecutor(1) as threads:
        with all_slots_busy(renderer):
            monkeypatch.setattr(renderer._pool, "acquire", announced_acquire)
            waiting = threads.submit(renderer.render, "*x*")
            assert begun.wait(PATIENCE)
            freed = time.monotonic()
        assert waiting.result().html == "<p><em>x</em></p>"
    assert deadlines[0] < freed + WALL_SECONDS


def test_an_exception_is_answered_by_name_and_the_next_text_rendered(renderer: Renderer) -> None:
    assert renderer.render("\ud800").fallback == "UnicodeEncodeError"
    assert renderer.render("*x*").html == "<p><em>x</em></p>"


def test_a_text_that_takes_too_much_memory_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = """
import forumsvc.markup.fork_server as fork_server
from forumsvc.markup.pipeline import Pipeline
Pipeline.render = lambda self, text, own_host: [text * (2 << 30)] if text == "x" else ["rendered"]
fork_server.main()
"""
    monkeypatch.setattr(COMMAND, [sys.executable, "-c", greedy])
    renderer = Renderer(workers=1, timeout=20, wall_seconds=WALL_SECONDS)
    assert renderer.render("x").fallback == "MemoryError"
    assert renderer.render("y").html == "rendered"
    renderer.close()


def test_a_text_that_finds_no_free_worker_in_time_is_refused_and_not_escaped() -> None:
    renderer = Renderer(workers=2, timeout=0.2, wall_seconds=0.2)
    with all_slots_busy(renderer), pytest.raises(Unavailable):
        renderer.render("*x*")
    assert renderer.stats.fallbacks["busy"] == 1
    assert renderer.render("*x*").fallback is None
    renderer.close()


WAITING_WORKER = """
import os, pathlib, signal
import forumsvc.markup.fork_server as fork_server
from forumsvc.markup.pipeline import Pipeline
def render(self, text, own_host):
    begun = pathlib.Path(text)
    if text.startswith("/") and len(begun.read_bytes()) < {times}:
        with begun.open("ab") as file:
            file.write(b"x")
        signal.pause()
    return ["rendered"]
Pipeline.render = render
fork_server.main()
"""
"""A worker that waits, as on a busy machine, the first times that it gets the path of a file."""


@pytest.fixture
def hindered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[int], Renderer]:
    """A function: a renderer whose workers stall so many times at the text `tmp_path / "begun"`."""
    (tmp_path / "begun").touch()

    def made(times: int) -> Renderer:
        program = WAITING_WORKER.format(times=times)
        monkeypatch.setattr(COMMAND, [sys.executable, "-c", program])
        renderer = Renderer(workers=2, timeout=0.1, wall_seconds=1.0)
        monkeypatch.setattr(renderer, "_wall_seconds", 1.0)
        return renderer

    return made


def test_a_text_that_only_the_clock_stops_is_rendered_at_the_second_attempt(
    hindered: Callable[[int], Renderer], tmp_path: Path
) -> None:
    renderer = hindered(1)
    assert renderer.render(str(tmp_path / "begun")).html == "rendered"
    renderer.close()


def test_a_text_that_the_clock_stops_twice_is_refused_and_not_escaped(
    hindered: Callable[[int], Renderer], tmp_path: Path
) -> None:
    renderer = hindered(2)
    with pytest.raises(Unavailable):
        renderer.render(str(tmp_path / "begun"))
    assert renderer.stats.fallbacks["overload"] == 1
    renderer.close()


def test_the_cpu_time_of_a_text_is_reported_even_if_it_fails(renderer: Renderer) -> None:
    used: list[float] = []
    for text in ("*x*", "\ud800", SLOW):
        renderer.render(text, report_cpu_time=used.append)
    assert [0 < seconds < 0.5 for seconds in used] == [True, True, False]
    assert used[2] >= 1.0


def test_the_log_names_the_origin_of_a_text_that_is_shown_unrendered(
    renderer: Renderer, caplog: pytest.LogCaptureFixture
) -> None:
    renderer.render("\ud800", origin="request abc, user 5")
    assert "is shown unrendered: UnicodeEncodeError (request abc, user 5)" in caplog.text


def test_eight_threads_get_their_own_results(renderer: Renderer) -> None:
    words = [f"w{number}" for number in range(160)]
    with ThreadPoolExecutor(8) as threads:
        drafts = list(threads.map(lambda word: renderer.render(f"*{word}*"), words))
    assert [draft.html for draft in drafts] == [f"<p><em>{word}</em></p>" for word in words]


def test_without_workers_this_process_renders_the_same() -> None:
    text = "Hello @bob, see #12 :smile:\n\n```python\nx = 1\n```"
    here, there = Renderer(workers=0), Renderer(workers=1)
    assert here.render(text) == there.render(text)
    there.close()


def test_without_workers_what_cannot_be_rendered_is_escaped() -> None:
    renderer = Renderer(workers=0)
    assert renderer.render("\ud800").fallback == "UnicodeEncodeError"
    assert renderer.render("*x*").html == "<p><em>x</em></p>"
