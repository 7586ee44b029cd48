"""`forumsvc api`: endpoints called without a server, as the operator or as a user."""

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc.clock import now
from forumsvc.errors import Unavailable
from forumsvc.models import AccessBlock, Node, Topic, User
from forumsvc.services.access import blocks
from tests.functional.cli.conftest import Outcome, Run
from tests.functional.cli.test_cli_users import PASSWORD
from tests.functional.rows import insert_row, insert_rows

BLOCK = ("kind=address", "value=192.0.2.0/24", "severity=all", "reason=Spam")
PAGE = Path(__file__).parents[3] / "docs/operators/administer.md"


def answer(outcome: Outcome) -> Any:
    """Return the JSON that an endpoint answered."""
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


@pytest.fixture
def ann(run: Run) -> str:
    run("user", "add", "ann", "--password", PASSWORD)
    return "ann"


def test_a_file_is_uploaded(run, ann, tmp_path):
    image = tmp_path / "a.gif"
    image.write_bytes(b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;")
    photo = answer(run("api", "POST", "/photos", f"file@{image}", "--as", ann))
    assert photo["image_url"].startswith("http://127.0.0.1:8080/photos/")


def test_what_may_succeed_later_ends_with_another_status(run, monkeypatch):
    def fail(*args: object, **options: object) -> None:
        raise Unavailable("Nothing answers.")

    monkeypatch.setattr(blocks, "put", fail)
    outcome = run("api", "POST", "/access_blocks", *BLOCK)
    assert (outcome.code, outcome.err) == (os.EX_TEMPFAIL, "Error: Nothing answers.\n")


def test_no_limit_of_clients_stands_in_the_way(run, ini, database):
    ini.write_text(f"{ini.read_text()}rate_limit.requests = 1/day\nrate_limit.writes = 1/day\n")
    with database.session.begin() as db:
        severe = {"kind": "address", "severity": "all", "reason": "x", "created_at": now()}
        values = [*(f"10.{n}.0.0/16" for n in range(200)), "127.0.0.0/8", "::1/128"]
        insert_rows(db, AccessBlock, [{**severe, "value": value} for value in values])
    listed = run("access", "list", "--limit", 170, "--json").json["access_blocks"]
    assert [one["value"] for one in listed] == values[:-171:-1]


def test_the_examples_of_the_documents_work(run, database):
    for login, role in (("root", "admin"), ("bob", "member")):
        run("user", "add", login, "--role", role, "--password", PASSWORD)
    with database.session.begin() as db:
        insert_row(db, Node, id=1, name="General")
        insert_row(db, Topic, id=7, user_id=db.scalar(select(User.id).limit(1)), node_id=1)
    example = re.compile(r"^    forumsvc -c production.ini (api .*)$", re.MULTILINE)
    examples = example.findall(PAGE.read_text())
    assert len(examples) == 3
    assert [answer(run(*shlex.split(one))) is not None for one in examples] == [True] * 3
