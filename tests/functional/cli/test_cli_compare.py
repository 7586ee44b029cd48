"""`forumsvc compare`: databases and dumps in any mix, and its three exit statuses."""

import re

import pytest

from forumsvc.db.engine import Database
from forumsvc.models import Topic, User
from forumsvc.settings.masking import mask_url
from tests.functional.cli.community import Community
from tests.functional.cli.conftest import INI, run_command


def fill(database: Database) -> None:
    with database.session.begin() as db:
        author = db.get_one(User, Community(db).ids["ann"])
        author.password_hash = "a hash"


@pytest.mark.both_databases
def test_a_database_its_dumps_and_their_copy_are_the_same(database, run, ini, tmp_path):
    fill(database)
    run("db", "check", "--fix", "--yes")
    run("search", "reindex")  # as a load does
    assert run("dump", "--secrets", tmp_path / "whole").code == 0
    assert run("dump", tmp_path / "content.tar").code == 0
    copy = tmp_path / "copy.ini"
    # The page of the API is an application of its own.
    copy.write_text(f"{INI}docs.enabled = false\n".format(url=f"sqlite:///{tmp_path}/copy.sqlite"))
    assert run_command("-c", copy, "load", "--trust-html", tmp_path / "whole").code == 0
    for pair in [(ini, tmp_path / "whole"), (tmp_path / "whole", copy), (copy, ini)]:
        compared = run_command("--json", "compare", *pair).json
        assert (compared["same"], compared["not_compared"]) == (True, [])
    compared = run_command("--json", "compare", tmp_path / "content.tar", ini).json
    assert compared["same"]
    assert {"users.password_hash", "jobs", "topics.body_html"} <= {*compared["not_compared"]}


@pytest.mark.both_databases
def test_a_changed_and_a_missing_row_are_counted(database, run, ini, tmp_path):
    fill(database)
    run("dump", "--secrets", tmp_path / "before")
    with database.session.begin() as db:
        db.query(User).filter_by(login="ann").update({"bio": "changed"})
        db.delete(db.query(Topic).filter_by(hits=0).order_by(Topic.id.desc()).first())
    found = run_command("compare", tmp_path / "before", ini)
    assert found.code == 1
    *lines, last = [" ".join(line.split()) for line in found.out.splitlines()[1:]]
    assert lines == [
        "users 3 3 1 1",
        "topics 4 3 1 0",
        f"A: {tmp_path}/before",
        f"B: {ini} ({mask_url(database.url.render_as_string())})",
    ]
    assert re.fullmatch(r"Compared \d\d tables: 2 differ\.", last)


@pytest.mark.both_databases
def test_a_database_is_not_compared_with_itself(database, ini, tmp_path):
    url = database.url
    if database.is_sqlite:
        (tmp_path / "link.sqlite").symlink_to(url.database or "")
        url = url.set(database=f"{tmp_path}/link.sqlite")
    other = tmp_path / "other.ini"
    other.write_text(INI.format(url=url.render_as_string(hide_password=False).replace("%", "%%")))
    refused = run_command("compare", ini, other)
    assert (refused.code, refused.out) == (2, "")
    assert "the same database" in refused.err


def test_an_error_has_a_status_of_its_own(ini, run, tmp_path):
    run("dump", tmp_path / "dump")
    (tmp_path / "dump" / "users.ndjson.gz").write_bytes(b"")
    (tmp_path / "other.ini").write_text(INI.format(url=f"sqlite:///{tmp_path}/none.sqlite"))
    for side in ("dump", "other.ini"):
        refused = run_command("compare", ini, tmp_path / side)
        assert (refused.code, refused.out, len(refused.err.splitlines())) == (2, "", 1)
