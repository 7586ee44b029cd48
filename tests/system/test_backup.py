"""Backups and restores of the real command: killed in the middle, and beside many writes."""

import signal
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select

from forumsvc.db.engine import Database
from forumsvc.dump import is_empty
from forumsvc.models import Reply
from forumsvc.services.search import index_check
from tests import databases
from tests.functional.forum import SECRET
from tests.functional.recounting import drift
from tests.functional.test_backup import Home, without_copy
from tests.system.forum_process import acknowledged, prepare, serving, storm
from tests.system.process import PATIENCE, wait_until
from tests.system.test_kill import have_written

INI = """
[app:main]
use = egg:forumsvc
site.environment = development
sqlalchemy.url = {url}
session.secret = {secret}
"""

KILLED = -signal.SIGKILL


def content(database: Database) -> dict[str, list[str]]:
    """Return all rows but those that the command makes after a restore."""
    found = without_copy(database)
    return {key: found[key] for key in found if key not in ("event_positions", "oauth_clients")}


def write_ini(folder: Path, url: str) -> Path:
    ini = folder / "forum.ini"
    photos = f"photos.dir = {folder / 'photos'}\n"
    ini.write_text(INI.format(url=url.replace("%", "%%"), secret=SECRET) + photos)
    return ini


def run(ini: Path, *words: object, at: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command. at: the call at which it is killed, `MODULE:NAME N`."""
    program = ["tests.system.killed_at", *at.split()] if at else ["forumsvc.cli"]
    command = [sys.executable, "-m", *program, "-c", str(ini), *map(str, words)]
    root = Path(__file__).parents[2]
    options = {"cwd": root, "capture_output": True, "text": True, "timeout": PATIENCE}
    return subprocess.run(command, check=False, **options)  # type: ignore[call-overload]


def test_a_killed_backup_is_no_backup_and_the_next_one_is_whole(database_url, database, tmp_path):
    ini = write_ini(tmp_path, database_url)
    home = Home(database, tmp_path)
    home.fill()
    calls = ["writing:_write_lines 9", "writing:add_member 30", "making:verify_backup 1"]
    for number, call in enumerate(calls):
        file = home.backups / f"b-{number}.tar"
        assert run(ini, "backup", file, at=f"forumsvc.dump.{call}").returncode == KILLED
        assert "b-0.tar" not in home.names()
    whole = run(ini, "backup", home.backups / "b-9.tar", "--keep", "1")
    assert whole.returncode == 0, whole.stderr
    assert home.names() == ["b-9.tar"]
    assert not (home.backups / ".forumsvc-backup.work").exists()


@pytest.mark.parametrize("kind", databases.KINDS)
def test_a_killed_restore_changes_nothing_and_the_next_one_is_whole(kind, tmp_path, new_url):
    old, new = new_url("sqlite"), new_url(kind, empty=True)
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    ini = write_ini(tmp_path / "new", new)
    with databases.open_temporarily(old) as source, databases.open_temporarily(new) as target:
        home = Home(source, tmp_path / "old")
        home.fill()
        path, _ = home.make()
        calls = [
            "forumsvc.dump.restoring:media_type_of 2",
            "forumsvc.dump.loading:_load_table 9",
            "forumsvc.services.deployment:mark_as_copy 1",
        ]
        for call in calls:
            assert run(ini, "restore", path, at=call).returncode == KILLED
            assert is_empty(target)
            target.dispose()
        whole = run(ini, "restore", path)
        assert whole.returncode == 0, whole.stderr
        assert "db adopt" in whole.stdout
        assert content(target) == content(source)
        again = run(ini, "restore", path)
        assert (again.returncode, len(again.stderr.splitlines())) == (1, 1)
        for call in calls[1:]:
            assert run(ini, "restore", path, "--replace", "--yes", at=call).returncode == KILLED
            assert content(target) == content(source)
        assert index_check.check(target).wrong == []


def test_a_backup_beside_writes_has_all_that_was_acknowledged_before_and_nothing_by_half(
    database_url, database, tmp_path, new_url
):
    into = new_url("postgresql" if database.is_sqlite else "sqlite")
    (tmp_path / "copy").mkdir()
    ini, copy_ini = tmp_path / "command.ini", write_ini(tmp_path / "copy", into)
    ini.write_text(INI.format(url=database_url.replace("%", "%%"), secret=SECRET))
    file = tmp_path / "storm-1.tar"
    scene = prepare(database_url, database, tmp_path)
    with serving(tmp_path, database_url, processes=2) as server:
        server.workers()
        with storm(server, scene, "storm") as clients:
            wait_until(partial(have_written, clients, 30), "writes")
            before = acknowledged(clients)
            made = run(ini, "backup", file)
            assert made.returncode == 0, made.stderr
            during = acknowledged(clients)
            assert len(during) > len(before)
    assert "counters" not in made.stdout
    restored = run(copy_ini, "restore", file)
    assert restored.returncode == 0, restored.stderr
    assert "corrected" not in restored.stdout
    with databases.open_temporarily(into) as copy:
        found = replies(copy)
        assert [lost for lost in before if found[lost] != 1] == []
        assert max(found.values()) == 1
        assert drift(copy) == []


def replies(database: Database) -> Counter[str]:
    with database.reads.connect() as db:
        return Counter(db.scalars(select(Reply.body)))
