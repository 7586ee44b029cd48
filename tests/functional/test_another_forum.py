"""A dump that a script made from the documents alone becomes a forum."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from forumsvc.models import Reply, Topic, User
from tests.functional import another_forum
from tests.functional.cli.conftest import INI, run_command
from tests.functional.forum import SECRET
from tests.functional.pages.visitor import Visitor

SCRIPT = Path(another_forum.__file__)
DOCUMENT = SCRIPT.parents[2] / "docs" / "dump.md"
POST = {"uid": 7, "at": 1_700_000_000}
EXPORT = {
    "members": [
        {"uid": 7, "username": "Zoë Ångström", "mail": "zoe@example.org", "group": 1}
        | {"joined": 1_600_000_000, "about": "I was here first.\n\N{SNOWMAN}"},
        {"uid": 9, "username": "z", "mail": "z@example.org", "joined": 1_650_000_000, "group": 2},
    ],
    "boards": [{"bid": 3, "title": "Garden"}],
    "threads": [
        {"tid": 5, "bid": 3, "subject": "Tomatoes", "views": 12, "locked": False}
        | {"posts": [POST | {"pid": 40, "text": "Ripe?"}, POST | {"pid": 41, "text": "**No**"}]},
        {"tid": 6, "bid": 3, "subject": "Rules", "views": 3, "locked": True}
        | {"posts": [POST | {"pid": 42, "text": "Be kind."}]},
    ],
    "thanks": [{"uid": 9, "pid": pid, "at": 1_700_000_100} for pid in (40, 41)],
}


@pytest.mark.both_databases
def test_it_loads_with_right_counters_and_its_members_log_in_by_a_link(forum, database, tmp_path):
    export, dump, ini = (tmp_path / name for name in ("export.json", "dump", "forum.ini"))
    export.write_text(json.dumps(EXPORT))
    subprocess.run([sys.executable, "-I", SCRIPT, export, dump], check=True)
    url = database.url.render_as_string(hide_password=False).replace("%", "%%")
    text = INI.format(url=url).partition("session.secret")[0]
    ini.write_text(f"{text}session.secret = {SECRET}\nsite.url = http://localhost\n")
    for words in (["load", dump], ["content", "rerender"], ["db", "check"]):
        done = run_command("-c", ini, *words)
        assert (done.code, done.err) == (0, "")
    with database.session() as db:
        topic, reply, user = db.get_one(Topic, 5), db.get_one(Reply, 41), db.get_one(User, 9)
        assert (topic.replies_count, topic.likes_count, reply.likes_count) == (1, 1, 1)
        assert ("<strong>No</strong>" in reply.body_html, user.login) == (True, "member_9")
    printed = run_command("-c", ini, "user", "password-link", "member_9").out
    [link] = re.findall(r"http://localhost(/password/reset\S+)", printed)
    visitor = Visitor(forum)
    assert visitor.send(link, new_password="green-tomato-31").status_int == 303
    assert visitor.log_in("member_9", "green-tomato-31").status_int == 303
    assert "Be kind." in visitor.get("/topics/6")


def test_the_document_shows_the_script():
    [shown] = re.findall("```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.S)
    assert shown in SCRIPT.read_text("utf-8")
