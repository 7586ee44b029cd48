"""The commands of docs/operators/move.md copy a forum from SQLite to PostgreSQL, as they stand."""

import os
import re
import shutil
import subprocess

from sqlalchemy import func, select

from forumsvc.demo.posts import community
from forumsvc.models import Section
from forumsvc.services.posts import counters
from forumsvc.services.search import index_check
from tests import databases
from tests.functional.forum import SECRET
from tests.system import doc_examples
from tests.system.process import PATIENCE
from tests.system.pserve import ROOT

POSTS = len(community("mixed")[2])
PAGE = (ROOT / "docs" / "operators" / "move.md").read_text("utf-8").partition("\n## Photos")[0]
NAMED = "postgresql:///forum?host=/run/postgresql"


def commands(url: str) -> str:
    """Return those of the page. url: of PostgreSQL, in place of the page's own."""
    blocks = re.findall(r"   ```sh\n(.*?)   ```", PAGE, re.DOTALL)
    assert NAMED in blocks[1]
    return "set -eu\n" + "".join(blocks).replace("   ", "").replace(NAMED, url)


def test_every_row_arrives_once_and_new_ids_go_on(tmp_path, new_url):
    old = f"sqlite:///{tmp_path}/forum.sqlite"
    new = new_url("postgresql", empty=True)
    shutil.copy(ROOT / "production.ini", tmp_path)
    (tmp_path / "var").mkdir()
    environment = {
        **os.environ,
        "PATH": f"{doc_examples.commands(tmp_path)}{os.pathsep}{os.environ['PATH']}",
        "SITE_URL": "https://forum.example.org",
        "SESSION_SECRET": SECRET,
    }

    def shell(lines: str, url: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", "-c", lines],
            cwd=tmp_path,
            env={**environment, "DATABASE_URL": url},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    made = shell(
        "set -e; for what in 'db upgrade' 'demo --yes'; do forumsvc -c production.ini $what; done",
        old,
    )
    assert made.returncode == 0, made.stderr
    moved = shell(commands(new), old)
    assert moved.returncode == 0, moved.stderr + moved.stdout
    assert "0 differ" in moved.stdout
    with databases.open_temporarily(new) as target:
        assert index_check.check(target) == index_check.Checked(POSTS, [])
        with target.session.begin() as db:
            assert [each for each in counters.check(db) if each.wrong] == []
            highest = db.scalar(select(func.max(Section.id))) or 0
            section = Section(name="New")
            db.add(section)
            db.flush()
            assert section.id == highest + 1 > 1
    again = shell("forumsvc -c production.ini load --trust-html var/moved", new)
    assert (again.returncode, again.stdout) == (1, "")
    assert "users" in again.stderr
