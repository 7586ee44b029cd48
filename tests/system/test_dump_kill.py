"""Dumps and loads that are killed: nothing that looks whole is left, and a second run succeeds."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, make_url, select

from forumsvc.dump import Archive, DumpError, load_dump, write_dump
from forumsvc.models import Reply, User
from tests import databases
from tests.functional.test_dump import fill, rows


def killed(*words: object) -> None:
    command = [sys.executable, "-m", "tests.system.killed_dump", *map(str, words)]
    assert subprocess.run(command).returncode == -signal.SIGKILL


@pytest.mark.parametrize("what", ["dump", "tar"])
def test_a_killed_dump_leaves_its_part_and_a_second_one_says_so(what, tmp_path):
    url = f"sqlite:///{tmp_path}/forum.sqlite"
    databases._migrate(url)
    made = tmp_path / "made"
    made.mkdir()
    killed(what, url, made / "dump", "topics")
    assert [one.name for one in made.iterdir()] == ["dump.part"]
    with (
        databases.open_temporarily(url) as database,
        pytest.raises(DumpError, match=r"dump\.part is there: delete it"),
    ):
        write_dump(database, made / "dump", secrets=True)


@pytest.mark.parametrize("kind", databases.KINDS)
def test_a_killed_load_leaves_nothing_and_a_second_one_is_whole(kind, tmp_path, new_url):
    source_url, url = new_url(kind), new_url(kind)
    with databases.open_temporarily(source_url) as source:
        fill(source)
        write_dump(source, tmp_path / "dump", secrets=True)
        whole = rows(source)
    killed("load", url, tmp_path / "dump", "reports")
    if kind == "sqlite":
        assert Path(f"{make_url(url).database}-journal").stat().st_size > 0
    with databases.open_temporarily(url) as database:
        with database.reads.connect() as db:
            assert [db.scalar(select(func.count(one.id))) for one in (User, Reply)] == [0, 0]
        load_dump(database, Archive(tmp_path / "dump"), trust_html=True)
        assert rows(database) == whole
