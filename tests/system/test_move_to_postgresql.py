"""The script of docs/operators/move.md copies a forum from SQLite to PostgreSQL."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from sqlalchemy import func, select

from forumsvc.db.engine import Database
from forumsvc.demo.posts import community
from forumsvc.models import Base, ReplyWords, Section, TopicWords
from forumsvc.services import counter_check, search_check
from tests import databases
from tests.functional.forum import SECRET
from tests.system.pserve import ROOT

POSTS = len(community("mixed")[2])
INI = """
[app:main]
use = egg:forumsvc
site.environment = development
sqlalchemy.url = {url}
session.secret = {secret}
"""


def run_script(folder: Path, old: str, new: str) -> subprocess.CompletedProcess[str]:
    page = (ROOT / "docs" / "operators" / "move.md").read_text("utf-8")
    [script] = re.findall(r"^ *```python\n(.*?)^ *```$", page, re.M | re.S)
    (folder / "move.py").write_text(textwrap.dedent(script))
    words = [sys.executable, "move.py", old, new]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


@pytest.fixture
def old(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> str:
    url = databases.new_url("sqlite", "move_old", tmp_path_factory, worker_id)
    (tmp_path / "old.ini").write_text(INI.format(url=url, secret=SECRET))
    forumsvc = [sys.executable, "-m", "forumsvc.cli", "-c", "old.ini", "demo"]
    subprocess.run(forumsvc, cwd=tmp_path, check=True, capture_output=True)
    return url


@pytest.fixture
def new(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> str:
    return databases.new_url("postgresql", "move_new", tmp_path_factory, worker_id)


INDEX = (TopicWords.__table__, ReplyWords.__table__)
"""The two databases write the words in different ways; `search check` compares them."""


def rows(database: Database) -> dict[str, list[tuple[object, ...]]]:
    with database.reads.connect() as db:
        return {
            table.name: sorted(map(tuple, db.execute(select(table))), key=repr)
            for table in Base.metadata.sorted_tables
            if table not in INDEX
        }


def test_every_row_arrives_once_and_new_ids_go_on(tmp_path: Path, old: str, new: str) -> None:
    done = run_script(tmp_path, old, new)
    assert done.returncode == 0, done.stderr
    with databases.open_temporarily(old) as source, databases.open_temporarily(new) as target:
        assert rows(source) == rows(target)
        assert search_check.check(target) == search_check.Checked(POSTS, [])
        with target.session.begin() as db:
            assert [each for each in counter_check.check(db) if each.wrong] == []
            highest = db.scalar(select(func.max(Section.id))) or 0
            section = Section(name="New")
            db.add(section)
            db.flush()
            assert section.id == highest + 1 > 1
    again = run_script(tmp_path, old, new)
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == "The PostgreSQL database has users already.\n"
