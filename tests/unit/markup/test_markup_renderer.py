"""Worker processes: lazily started, killed, replaced, carried over forks."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from forumsvc.markup import Renderer
from forumsvc.markup.plain_text import escaped

SLOW = "![" * 8000
ROOT = Path(__file__).parents[3]


def workers() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE
        and "forumsvc.markup.worker" in " ".join(child.cmdline())
    ]


def in_python(program: str) -> str:
    """Return what a program prints that runs in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    ).stdout


def test_the_first_text_starts_the_workers_and_close_ends_them(renderer: Renderer) -> None:
    before = len(workers())
    renderer.render("x")
    assert len(workers()) == before + 2
    renderer.close()
    assert len(workers()) == before


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


def test_after_a_slow_text_the_worker_is_replaced(renderer: Renderer) -> None:
    renderer.render("x")
    before = {worker.pid for worker in workers()}
    renderer.render(SLOW)
    after = {worker.pid for worker in workers()}
    assert len(before - after) == 1
    assert len(after) == len(before)
    assert [renderer.render("*x*").html for _ in range(4)] == ["<p><em>x</em></p>"] * 4


def test_slow_texts_leave_a_worker_for_short_ones(renderer: Renderer) -> None:
    renderer.render("x")
    finished: list[str] = []

    def render(text: str, name: str) -> None:
        renderer.render(text)
        finished.append(name)

    slow = [threading.Thread(target=render, args=(SLOW, "slow")) for _ in range(3)]
    for thread in slow:
        thread.start()
    while not renderer._pool._long:
        """The first slow text is on its way to a worker."""
    render("short", "short")
    assert finished == ["short"]
    for thread in slow:
        thread.join()


def test_a_worker_that_was_killed_while_it_waited_is_replaced(renderer: Renderer) -> None:
    renderer.render("x")
    for worker in workers():
        worker.kill()
        worker.wait()
    draft = renderer.render("*x*")
    assert (draft.html, draft.fallback) == ("<p><em>x</em></p>", None)


def test_a_worker_that_dies_at_work_costs_one_text(renderer: Renderer) -> None:
    renderer.render("x")
    victims = workers()

    def kill() -> None:
        for victim in victims:
            victim.kill()
        psutil.wait_procs(victims, 30)

    killer = threading.Timer(0.2, kill)
    killer.start()
    assert renderer.render(SLOW).fallback == "crash"
    killer.join()
    assert renderer.render("*x*").fallback is None


def test_an_exception_is_answered_by_name_and_the_worker_lives(renderer: Renderer) -> None:
    renderer.render("x")
    before = {worker.pid for worker in workers()}
    assert renderer.render("\ud800").fallback == "UnicodeEncodeError"
    assert {worker.pid for worker in workers()} == before
    assert renderer.render("*x*").html == "<p><em>x</em></p>"


def test_a_worker_that_grew_large_answers_and_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    large = "import forumsvc.markup.worker as worker; worker._MAX_RESIDENT = 0; worker.main()"
    monkeypatch.setattr("forumsvc.markup.worker_process._COMMAND", [sys.executable, "-c", large])
    renderer = Renderer(workers=1)
    seen = []
    for _ in range(3):
        assert renderer.render("*x*").html == "<p><em>x</em></p>"
        seen += [worker.pid for worker in workers() if worker.pid not in seen]
    renderer.close()
    assert len(seen) == 3


def test_a_text_that_takes_too_much_memory_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = """
import forumsvc.markup.worker as worker
from forumsvc.markup.pipeline import Pipeline
Pipeline.render = lambda self, text, own_host: [text * (2 << 30)] if text == "x" else ["rendered"]
worker.main()
"""
    monkeypatch.setattr("forumsvc.markup.worker_process._COMMAND", [sys.executable, "-c", greedy])
    renderer = Renderer(workers=1, timeout=20)
    assert renderer.render("x").fallback == "MemoryError"
    assert renderer.render("y").html == "rendered"
    renderer.close()


def test_a_worker_without_a_parent_ends_in_the_middle_of_a_text() -> None:
    job = {"text": SLOW, "own_host": "", "limit": 0.3}
    worker = subprocess.run(
        [sys.executable, "-m", "forumsvc.markup.worker"],
        input=json.dumps(job) + "\n",
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert worker.returncode == -signal.SIGALRM
    assert json.loads(worker.stdout) == {"ready": True}


def test_workers_ignore_the_interrupt_of_the_terminal(renderer: Renderer) -> None:
    renderer.render("x")
    before = {worker.pid for worker in workers()}
    for pid in before:
        os.kill(pid, signal.SIGINT)
    assert renderer.render("*x*").fallback is None
    assert {worker.pid for worker in workers()} == before


def test_a_text_that_finds_no_free_worker_in_time_is_escaped(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    renderer.render("x")
    monkeypatch.setattr("forumsvc.markup.renderer._PATIENCE", 0.0)
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(renderer._pool.lend(1.0, long=False))
        assert renderer.render("*x*").fallback == "busy"
    assert renderer.render("*x*").fallback is None


def test_eight_threads_get_each_its_own_answer(renderer: Renderer) -> None:
    words = [f"w{number}" for number in range(160)]
    with ThreadPoolExecutor(8) as threads:
        drafts = list(threads.map(lambda word: renderer.render(f"*{word}*"), words))
    assert [draft.html for draft in drafts] == [f"<p><em>{word}</em></p>" for word in words]


def test_a_forked_child_has_workers_of_its_own() -> None:
    program = """
import os, psutil
from forumsvc.markup import Renderer
renderer = Renderer()
renderer.render("x")
parents = {child.pid for child in psutil.Process().children()}
read, write = os.pipe()
if os.fork() == 0:
    same = renderer.render("*child*").html
    own = {child.pid for child in psutil.Process().children()}
    os.write(write, f"{same} {len(own)} {len(own & parents)}".encode())
    renderer.close()
    os._exit(0)
os.wait()
print(os.read(read, 1000).decode(), renderer.render("*parent*").html)
renderer.close()
print(sum(psutil.pid_exists(pid) for pid in parents))
"""
    assert in_python(program).split("\n") == [
        "<p><em>child</em></p> 2 0 <p><em>parent</em></p>",
        "0",
        "",
    ]


def test_workers_end_with_the_process_that_started_them() -> None:
    program = """
import os, psutil
from forumsvc.markup import Renderer
renderer = Renderer()
renderer.render("x")
print([child.pid for child in psutil.Process().children()], flush=True)
os.kill(os.getpid(), 9)
"""
    process = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    orphans = [psutil.Process(pid) for pid in json.loads(process.stdout) if psutil.pid_exists(pid)]
    assert psutil.wait_procs(orphans, timeout=10)[1] == []


def test_the_server_process_loads_no_markdown_library() -> None:
    program = """
import sys
from forumsvc.markup import Renderer
renderer = Renderer()
assert renderer.render("*x*").fallback is None
renderer.close()
print(sorted({"markdown", "pymdownx", "pygments", "nh3"} & sys.modules.keys()))
"""
    assert in_python(program) == "[]\n"


def test_a_worker_loads_neither_web_framework_nor_database() -> None:
    program = """
import sys
import forumsvc.markup.worker, forumsvc.markup.pipeline
print(sorted({"pyramid", "sqlalchemy", "PIL", "waitress"} & sys.modules.keys()))
"""
    assert in_python(program) == "[]\n"


def test_without_workers_this_process_renders_the_same() -> None:
    text = "Hello @bob, see #12 :smile:\n\n```python\nx = 1\n```"
    here, there = Renderer(workers=0), Renderer(workers=1)
    assert here.render(text) == there.render(text)
    there.close()


def test_without_workers_what_cannot_be_rendered_is_escaped() -> None:
    renderer = Renderer(workers=0)
    assert renderer.render("\ud800").fallback == "UnicodeEncodeError"
    assert renderer.render("*x*").html == "<p><em>x</em></p>"


def test_where_workers_cannot_start_text_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forumsvc.markup.worker_process._COMMAND", [sys.executable, "-c", ""])
    renderer = Renderer(workers=1)
    draft = renderer.render("<x>")
    renderer.close()
    assert draft.html == "<p>&lt;x&gt;</p>"
    assert draft.fallback == "unstarted: the worker ended as it began"
