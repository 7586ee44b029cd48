"""The life of the worker processes: fork servers, deaths, forks of the server process."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from forumsvc.errors import Unavailable
from forumsvc.markup import Renderer
from forumsvc.markup.worker_process import WorkerDiedError
from tests.system.process import PATIENCE, wait_until
from tests.unit.markup.processes import (
    COMMAND,
    ROOT,
    SLOW,
    end,
    fork_servers,
    in_python,
    wait_for_end,
    workers,
)


def test_a_worker_that_was_killed_while_it_waited_is_replaced(renderer: Renderer) -> None:
    renderer.render("x")
    for worker in workers():
        end(worker)
    draft = renderer.render("*x*")
    assert (draft.html, draft.fallback) == ("<p><em>x</em></p>", None)


def test_a_fork_server_that_was_killed_is_replaced_with_its_workers(renderer: Renderer) -> None:
    others = [*fork_servers(), *workers()]
    renderer.render("x")
    old = [one for one in (*fork_servers(), *workers()) if one not in others]
    end(old[0])
    draft = renderer.render("*x*")
    assert (draft.html, draft.fallback) == ("<p><em>x</em></p>", None)
    assert psutil.wait_procs(old, timeout=30)[1] == []


def test_a_worker_that_dies_at_work_costs_one_text(renderer: Renderer) -> None:
    renderer.render("x")
    [victim] = [psutil.Process(worker.pid) for worker in renderer._pool._idle]
    before = victim.cpu_times().user
    with ThreadPoolExecutor(1) as threads:
        rendering = threads.submit(renderer.render, SLOW)
        wait_until(lambda: victim.cpu_times().user > before + 0.1, "the worker is at work")
        victim.kill()
        assert rendering.result().fallback == "crash"
    assert renderer.render("*x*").fallback is None


def test_a_worker_that_grew_large_answers_and_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    large = """
import forumsvc.markup.render_worker as worker
import forumsvc.markup.fork_server as fork_server
worker._MAX_RESIDENT = 0
fork_server.main()
"""
    monkeypatch.setattr(COMMAND, [sys.executable, "-c", large])
    renderer = Renderer(workers=1)
    before = workers()
    assert [renderer.render("*x*").html for _ in range(3)] == ["<p><em>x</em></p>"] * 3
    assert workers() == before
    renderer.close()


def test_a_worker_without_a_parent_ends_in_the_middle_of_a_text(renderer: Renderer) -> None:
    renderer.render("x")
    [worker] = renderer._pool._idle
    process = psutil.Process(worker.pid)
    job = {"text": SLOW, "own_host": "", "limit": 0.3}
    worker.send_job(job, time.monotonic() + 30)
    with pytest.raises(WorkerDiedError):
        worker.receive_result(time.monotonic() + 30)
    wait_for_end(process)


def test_workers_ignore_the_interrupt_of_the_terminal(renderer: Renderer) -> None:
    renderer.render("x")
    before = {worker.pid for worker in workers()}
    for pid in before:
        os.kill(pid, signal.SIGINT)
    assert renderer.render("*x*").fallback is None
    assert {worker.pid for worker in workers()} == before


def test_a_forked_child_has_workers_of_its_own() -> None:
    program = """
import os, psutil
from forumsvc.markup import Renderer
renderer = Renderer()
renderer.render("x")
parents = {child.pid for child in psutil.Process().children(recursive=True)}
read, write = os.pipe()
if os.fork() == 0:
    same = renderer.render("*child*").html
    own = {child.pid for child in psutil.Process().children(recursive=True)}
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


@pytest.mark.parametrize(
    ("text", "ready"), [("x", "renderer._pool._idle"), (SLOW, "renderer._pool._busy")]
)
def test_workers_end_with_the_process_that_started_them(text: str, ready: str) -> None:
    program = f"""
import os, psutil, threading
from forumsvc.markup import Renderer
renderer = Renderer(timeout=1000)
threading.Thread(target=renderer.render, args=[{text!r}], daemon=True).start()
while not {ready}:
    pass
print([child.pid for child in psutil.Process().children(recursive=True)], flush=True)
os.kill(os.getpid(), 9)
"""
    process = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=PATIENCE,
    )
    pids = json.loads(process.stdout)
    assert len(pids) == 2
    orphans = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
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
import forumsvc.markup.fork_server
print(sorted({"pyramid", "sqlalchemy", "PIL", "waitress"} & sys.modules.keys()))
"""
    assert in_python(program) == "[]\n"


def test_where_workers_cannot_start_a_text_is_refused_and_not_escaped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(COMMAND, [sys.executable, "-c", ""])
    renderer = Renderer(workers=1)
    with pytest.raises(Unavailable):
        renderer.render("<x>")
    renderer.close()
    assert renderer.stats.fallbacks["unstarted"] == 1
