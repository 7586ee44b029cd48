"""The renderer under `pserve --reload`, which is hupper."""

import os
import sys
from pathlib import Path
from subprocess import PIPE, Popen

import psutil

from tests.system.process import prepare_child

ROOT = Path(__file__).parents[2]

APP = """
from pathlib import Path
import hupper
import psutil
from forumsvc.markup import Renderer

def main():
    renderer = Renderer()
    html = renderer.render("*x*").html
    print(html, *[child.pid for child in psutil.Process().children(recursive=True)], flush=True)
    first = Path(__file__).with_suffix(".first")
    if not first.exists():
        first.touch()
        hupper.get_reloader().trigger_reload()
    while True:
        renderer.render("x")
"""


def test_a_reload_ends_the_workers_and_the_new_process_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "reloaded_app.py").write_text(APP)
    program = "import hupper; hupper.start_reloader('reloaded_app.main', reload_interval=1)"
    path = os.pathsep.join([str(ROOT), str(tmp_path)])
    with Popen(
        [sys.executable, "-c", program],
        stdout=PIPE,
        text=True,
        preexec_fn=prepare_child,
        env=os.environ | {"PYTHONPATH": path},
    ) as reloader:
        assert reloader.stdout is not None
        lines = (line.split() for line in reloader.stdout if line.startswith("<p>"))
        html, *pids = next(lines)
        old = [psutil.Process(int(pid)) for pid in pids]
        html_after, *pids_after = next(lines)
        new = [psutil.Process(int(pid)) for pid in pids_after]
        running = [worker for worker in new if worker.is_running()]
        reloader.terminate()
    assert html == html_after == "<p><em>x</em></p>"
    assert len(running) == 2
    assert psutil.wait_procs([*old, *new], timeout=30)[1] == []
