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
from forumsvc.db.engine import Database
from forumsvc.errors import Unavailable
from forumsvc.models import AccessBlock, Node, OAuthToken, Topic, User
from forumsvc.services.access import blocks
from tests.cases import each
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
    """The login of a member."""
    run("user", "add", "ann", "--password", PASSWORD)
    return "ann"


@pytest.fixture
def node(run: Run) -> int:
    """The id of a node."""
    return int(run("node", "add", "General", "--json").json["id"])


@pytest.mark.both_databases
def test_what_the_operator_does_is_in_the_log(
    run: Run, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_USER", "grace")
    run("user", "add", "root", "--role", "admin", "--password", PASSWORD)
    block = answer(run("--as", "root", "api", "POST", "/access_blocks", *BLOCK))
    assert (block["value"], block["by"]) == ("192.0.2.0/24", None)
    [record, _] = answer(run("api", "get", "/moderation/log"))
    assert (record["action"], record["via"], record["actor"]["login"]) == (
        *("access_block.created", "cli", "root"),
    )
    assert (record["details"]["system_user"], record["request_id"]) == ("grace", None)
    answer(run("api", "DELETE", f"/api/v3/access_blocks/{block['id']}"))
    assert answer(run("api", "GET", "/access_blocks")) == []
    with database.reads.connect() as db:
        assert db.execute(OAuthToken.__table__.select()).all() == []


@pytest.mark.both_databases
def test_a_user_writes(run: Run, ann: str, node: int) -> None:
    words = ("title=广告", "body=1=1", f"node_id:={node}")
    topic = answer(run("api", "POST", "/topics", "--as", "ANN", *words))
    assert (topic["user"]["login"], topic["title"], topic["body"]) == ("ann", "广告", "1=1")
    assert answer(run("api", "GET", "/hello", "--as", ann, "--json")) == {"current_user": "ann"}
    listed = answer(run("api", "GET", "/topics?limit=5", f"node_id={node}"))
    assert [one["id"] for one in listed] == [topic["id"]]


def test_a_file_is_uploaded(run: Run, ann: str, tmp_path: Path) -> None:
    image = tmp_path / "a.gif"
    image.write_bytes(b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;")
    photo = answer(run("api", "POST", "/photos", f"file@{image}", "--as", ann))
    assert photo["image_url"].startswith("http://127.0.0.1:8080/photos/")


def test_the_answer_has_the_shape_of_the_settings(run: Run, ini: Path) -> None:
    ini.write_text(f"{ini.read_text()}api.envelope = keyed\n")
    assert answer(run("api", "GET", "/nodes")) == {"nodes": [], "meta": {"total": 0}}
    assert run("api", "GET", "/topics/7").refusal == "Error: There is no topic 7."
    assert run("access", "list", "--json").json == {"access_blocks": []}


def test_an_answer_that_is_no_json_is_printed_as_it_is(run: Run) -> None:
    assert run("api", "GET", "/openapi.yaml").out.startswith("openapi: 3.1.0")


@each(
    ("words", "code", "message"),
    [
        (("GET", "/access_blocks/7"), 1, "There is no access block 7."),
        (("GET", "/nothing"), 1, "There is nothing here."),
        (("PUT", "/hello"), 1, "PUT is not among GET, HEAD"),
        (("POST", "/access_blocks"), 1, "kind: is required"),
        (("POST", "/topics", "title=x"), 1, "(--as LOGIN acts as a user.)"),
        (("GET", "/hello", "--as", "nobody"), 1, "There is no user 'nobody'."),
        (("GET", "/access_blocks", "--as", "ann"), 1, "You may not do this."),
        (("POST", "/topics", "title"), 2, "'title' is not NAME=TEXT, NAME:=JSON or NAME@FILE."),
        (("POST", "/topics", "node_id:=x"), 2, "node_id: not JSON"),
        (("POST", "/photos", "file@/nowhere"), 2, "/nowhere: No such file"),
        (("PATCH", "/hello"), 2, "'PATCH' is not one of"),
    ],
)
def test_what_is_wrong_is_on_standard_error(
    run: Run, ann: str, words: tuple[str, ...], code: int, message: str
) -> None:
    outcome = run("api", *words)
    assert (outcome.code, outcome.out, message in outcome.err) == (code, "", True), outcome.err


def test_nobody_acts_as_a_user_who_is_deleted(run: Run, ann: str) -> None:
    run("user", "delete", ann, "--yes")
    assert run("api", "GET", "/topics", "--as", ann).refusal == "Error: There is no user 'ann'."


def test_what_may_succeed_later_ends_with_another_status(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise Unavailable("Nothing answers.")

    monkeypatch.setattr(blocks, "put", fail)
    outcome = run("api", "POST", "/access_blocks", *BLOCK)
    assert (outcome.code, outcome.err) == (os.EX_TEMPFAIL, "Error: Nothing answers.\n")


def test_no_limit_of_clients_stands_in_the_way(run: Run, ini: Path, database: Database) -> None:
    ini.write_text(f"{ini.read_text()}rate_limit.requests = 1/day\nrate_limit.writes = 1/day\n")
    with database.session.begin() as db:
        severe = {"kind": "address", "severity": "all", "reason": "x", "created_at": now()}
        values = [*(f"10.{n}.0.0/16" for n in range(200)), "127.0.0.0/8", "::1/128"]
        insert_rows(db, AccessBlock, [{**severe, "value": value} for value in values])
    listed = run("access", "list", "--limit", 170, "--json").json["access_blocks"]
    assert [one["value"] for one in listed] == values[:-171:-1]


def test_the_examples_of_the_documents_work(run: Run, database: Database) -> None:
    for login, role in (("root", "admin"), ("bob", "member")):
        run("user", "add", login, "--role", role, "--password", PASSWORD)
    with database.session.begin() as db:
        insert_row(db, Node, id=1, name="General")
        insert_row(db, Topic, id=7, user_id=db.scalar(select(User.id).limit(1)), node_id=1)
    example = re.compile(r"^    forumsvc -c production.ini (api .*)$", re.MULTILINE)
    examples = example.findall(PAGE.read_text())
    assert len(examples) == 3
    assert [answer(run(*shlex.split(one))) is not None for one in examples] == [True] * 3
