"""The real service takes connections when its renderers are ready, or cannot be."""

import pytest

from tests.databases import on_sqlite
from tests.functional.forum import API
from tests.system.forum_process import prepare, serving

APP = """
from pathlib import Path
import forumsvc
from forumsvc.markup import render_task, renderer

def main(global_config, **ini):
    renderer._TASK = __name__
    return forumsvc.main(global_config, **ini)

def start():
    {broken}
    task = render_task.start()
    Path(__file__).with_name("ready").touch()
    return task
"""


@on_sqlite
@pytest.mark.parametrize("broken", ["", "raise ImportError"])
def test_the_first_request_is_answered_when_the_renderer_is_ready_or_broken(
    database_url, database, tmp_path, broken
):
    prepare(database_url, database, tmp_path)
    (tmp_path / "forum_app.py").write_text(APP.format(broken=broken))
    with serving(tmp_path, database_url, worker=False, app="forum_app:main") as server:
        assert server.get(f"{API}/topics").status == 200
        assert (tmp_path / "ready").exists() == (not broken)
        assert ("the start of this worker is not complete" in server.log) == bool(broken)


LOADED = """
import sys
from pathlib import Path
import forumsvc

def main(global_config, **ini):
    app = forumsvc.main(global_config, **ini)
    Path(__file__).with_name("loaded").write_text(" ".join(sys.modules))
    return app
"""
RENDERING = {"markdown", "pymdownx", "pygments", "nh3"}


@on_sqlite
def test_the_servers_process_has_none_of_the_libraries_that_render(
    database_url, database, tmp_path
):
    prepare(database_url, database, tmp_path)
    (tmp_path / "forum_app.py").write_text(LOADED)
    with serving(tmp_path, database_url, worker=False, app="forum_app:main") as server:
        assert server.get(f"{API}/topics").status == 200
    assert not RENDERING & set((tmp_path / "loaded").read_text().split())
