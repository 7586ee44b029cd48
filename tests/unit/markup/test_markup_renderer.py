"""Texts and their workers: lent, set aside, killed."""

import logging
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from forumsvc.markup import Renderer
from forumsvc.markup.plain_text import escaped
from forumsvc.markup.worker_process import WorkerProcess
from tests.unit.markup.processes import COMMAND, SLOW, fork_servers, workers


@contextmanager
def all_places_taken(renderer: Renderer) -> Iterator[None]:
    """Hold the two workers of a renderer."""
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(renderer._pool.lend(time.monotonic() + 20))
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
    assert draft.html == escaped(SLOW)
    assert draft.mentions == []
    assert "16000 characters" in caplog.text


def test_a_slow_text_takes_its_worker_along(renderer: Renderer) -> None:
    renderer.render("x")
    before = set(workers())
    renderer.render(SLOW)
    assert len(before - set(workers())) == 1
    assert [renderer.render("*x*").html for _ in range(4)] == ["<p><em>x</em></p>"] * 4


def test_more_slow_texts_than_places_hold_nobody_up(renderer: Renderer) -> None:
    renderer.render("x")
    slow = [threading.Thread(target=renderer.render, args=(SLOW,)) for _ in range(4)]
    for thread in slow:
        thread.start()
    while len(renderer._pool._aside) < len(slow):
        """They are on their way."""
    assert renderer.render("*x*").html == "<p><em>x</em></p>"
    assert all(thread.is_alive() for thread in slow)
    for thread in slow:
        thread.join()
    assert not renderer._pool._aside


def test_the_time_of_a_text_begins_with_its_wait(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadlines = []
    ask = WorkerProcess.ask

    def noting(self: WorkerProcess, job: dict[str, Any], deadline: float) -> None:
        deadlines.append(deadline)
        ask(self, job, deadline)

    monkeypatch.setattr(WorkerProcess, "ask", noting)
    with ThreadPoolExecutor(1) as threads:
        with all_places_taken(renderer):
            waiting = threads.submit(renderer.render, "*x*")
            while not renderer._pool._changed._waiters:  # type: ignore[attr-defined]
                """It is on its way."""
            freed = time.monotonic()
        assert waiting.result().html == "<p><em>x</em></p>"
    assert deadlines[0] < freed + 1.0


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
    renderer = Renderer(workers=1, timeout=20)
    assert renderer.render("x").fallback == "MemoryError"
    assert renderer.render("y").html == "rendered"
    renderer.close()


def test_a_text_that_finds_no_free_worker_in_time_is_escaped() -> None:
    renderer = Renderer(workers=2, timeout=0.2)
    with all_places_taken(renderer):
        assert renderer.render("*x*").fallback == "busy"
    assert renderer.render("*x*").fallback is None
    renderer.close()


def test_eight_threads_get_each_its_own_answer(renderer: Renderer) -> None:
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
