"""What becomes of a text, whatever becomes of the worker that renders it."""

import logging
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from forumsvc.errors import Unavailable
from forumsvc.markup import Renderer
from forumsvc.markup.plain_text import escape_to_html
from tests.unit.markup.hostile_texts import TEXTS

SLOW = TEXTS["underlined headings"]
"""A text that takes longer than any test has."""

ROOT = Path(__file__).parents[3]


@pytest.fixture
def task(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Renderer]:
    """A function: a renderer whose workers run the jobs of `tests.unit.sandbox.task` instead."""

    def made(*job: object, **options: float) -> Renderer:
        monkeypatch.setattr("forumsvc.markup.renderer._TASK", "tests.unit.sandbox.task")
        renderer = Renderer(workers=2, **options)  # type: ignore[arg-type]
        monkeypatch.setattr(renderer, "_job", lambda text: job)
        return renderer

    return made


def test_a_text_is_rendered_and_its_worker_kept(renderer):
    drafts = [renderer.render("*x*") for _ in range(3)]
    assert [(draft.html, draft.fallback) for draft in drafts] == [("<p><em>x</em></p>", None)] * 3
    assert (renderer.workers, renderer.killed) == (2, 0)


def test_a_slow_text_comes_back_escaped_with_a_warning(renderer, caplog):
    used: list[float] = []
    with caplog.at_level(logging.WARNING):
        draft = renderer.render(SLOW, report_cpu_time=used.append)
    assert draft.fallback == "timeout"
    assert draft.html == escape_to_html(SLOW)
    assert draft.mentions == []
    assert f"{len(SLOW)} characters" in caplog.text
    assert renderer.killed == 1
    assert used == [0.3], "its author pays for it"
    assert [renderer.render("*x*").html for _ in range(4)] == ["<p><em>x</em></p>"] * 4


def test_an_exception_is_answered_by_name_and_the_next_text_rendered(renderer):
    assert renderer.render("\ud800").fallback == "UnicodeEncodeError"
    assert renderer.render("*x*").html == "<p><em>x</em></p>"
    assert renderer.killed == 0


def test_a_text_that_takes_too_much_memory_is_escaped(task):
    renderer = task("take memory", 1 << 31)
    assert renderer.render("<x>").fallback == "MemoryError"
    renderer.close()


def test_a_text_that_crashes_its_worker_is_escaped(task):
    renderer = task("exit", 1)
    draft = renderer.render("<x>")
    assert (draft.fallback, draft.html) == ("crash", "<p>&lt;x&gt;</p>")
    renderer.close()


def test_a_text_that_finds_no_free_worker_in_time_is_refused_and_not_escaped():
    renderer = Renderer(workers=2, timeout=0.2, wall_seconds=0.2)
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(renderer._pool._acquire(0))
        with pytest.raises(Unavailable):
            renderer.render("*x*")
    assert renderer.stats.fallbacks["busy"] == 1
    assert renderer.render("*x*").fallback is None
    renderer.close()


def test_where_workers_cannot_start_a_text_is_refused_and_not_escaped(monkeypatch):
    monkeypatch.setattr("forumsvc.sandbox.process._PROGRAM", "")
    renderer = Renderer(workers=1)
    with pytest.raises(Unavailable):
        renderer.render("<x>")
    renderer.close()
    assert renderer.stats.fallbacks["unstarted"] == 1


@pytest.mark.parametrize("times", [1, 2])
def test_a_text_that_only_the_clock_stops_is_tried_twice_and_then_refused(task, tmp_path, times):
    begun = tmp_path / "begun"
    begun.touch()
    renderer = task("stall", str(begun), times, timeout=0.1, wall_seconds=0.5)
    # What the second attempt answers is no text, but it was made.
    with pytest.raises(KeyError if times == 1 else Unavailable):
        renderer.render("*x*")
    assert begun.read_bytes() == b"x" * times
    assert renderer.stats.fallbacks["overload"] == times - 1
    renderer.close()


def test_the_log_names_the_origin_of_a_text_that_is_shown_unrendered(renderer, caplog):
    renderer.render("\ud800", origin="request abc, user 5")
    assert "is shown unrendered: UnicodeEncodeError (request abc, user 5)" in caplog.text


def test_without_workers_this_process_renders_the_same(renderer):
    text = "Hello @bob, see #12 :smile:\n\n```python\nx = 1\n```"
    assert Renderer(workers=0).render(text) == renderer.render(text)


def test_the_server_process_loads_no_markdown_library():
    program = """
import sys
from forumsvc.markup import Renderer
renderer = Renderer()
assert renderer.render("*x*").fallback is None
renderer.close()
assert not {"markdown", "pymdownx", "pygments", "nh3"} & sys.modules.keys()
"""
    command = [sys.executable, "-W", "error", "-c", program]
    subprocess.run(command, check=True, env={"PYTHONPATH": str(ROOT)})
