"""`forumsvc user edit`, `export`, `erase` and `password-link`, and commands for several users."""

import json
import stat
import zipfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import AuditRecord, Job, User
from forumsvc.services import password_reset
from tests.functional.cli.conftest import Run

PASSWORD = "correct horse"


@pytest.fixture
def people(run: Run) -> list[str]:
    """Three users."""
    for login in ("ann", "bob", "eve"):
        added = run("user", "add", login, "--email", f"{login}@x.org", "--password", PASSWORD)
        assert added.code == 0, added
    return ["ann", "bob", "eve"]


def users(database: Database, *columns: str) -> list[tuple[object, ...]]:
    with database.reads.connect() as db:
        found = db.execute(select(*(getattr(User, name) for name in columns)).order_by(User.id))
        return [tuple(row) for row in found]


def records(database: Database) -> list[tuple[str, str | None]]:
    with database.reads.connect() as db:
        found = db.execute(select(AuditRecord.action, AuditRecord.details))
        return [(row.action, row.details) for row in found]


def test_edit_changes_login_name_and_address_and_the_log_names_none_of_them(
    run: Run, people: list[str], database: Database
) -> None:
    new = ("--login", "Anna", "--name", "Ann A.", "--email", "new@x.org")
    assert run("user", "edit", "ann", *new).out == "Anna is changed.\n"
    columns = ("login", "login_key", "name", "email")
    assert users(database, *columns)[0] == ("Anna", "anna", "Ann A.", "new@x.org")
    action, details = records(database)[-1]
    assert action == "user.edited"
    assert json.loads(details or "")["changed"] == ["login", "name", "email"]


@pytest.mark.parametrize(
    ("option", "value"),
    [("--login", "BOB"), ("--login", "topics"), ("--login", "7"), ("--email", "bob@x.org")],
)
def test_edit_refuses_what_is_taken_or_not_valid_and_changes_nothing(
    run: Run, people: list[str], database: Database, option: str, value: str
) -> None:
    before = users(database, "login", "email", "name")
    assert run("user", "edit", "ann", "--name", "Other", option, value).refusal
    assert users(database, "login", "email", "name") == before


def test_export_writes_a_file_for_its_owner_alone_and_overwrites_none(
    run: Run, people: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "ann.zip"
    assert run("user", "export", "ann", file, "--json").json["file"] == str(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with zipfile.ZipFile(file) as archive:
        assert b"ann@x.org" in archive.read("profile.json")
    assert "there already" in run("user", "export", "bob", file).refusal
    (tmp_path / "bob.zip.part").write_text("of another run")
    assert "bob.zip.part is there" in run("user", "export", "bob", tmp_path / "bob.zip").refusal
    assert (tmp_path / "bob.zip.part").read_text() == "of another run"
    assert sorted(each.name for each in tmp_path.glob("*.zip")) == ["ann.zip"]


def test_erase_erases_all_who_are_named_or_nobody(
    run: Run, people: list[str], database: Database
) -> None:
    assert run("user", "role", "bob", "admin").code == 0
    refused = run("user", "erase", "ann", "bob", "--posts", "keep", "--yes")
    assert "last active admin" in refused.refusal
    assert [login for (login,) in users(database, "login")] == people
    done = run("user", "erase", "ann", "eve", "--posts", "blank", "--yes", "--json").json
    ids = [each for (each,) in users(database, "id")]
    assert done["erased"] == {"ann": f"deleted-{ids[0]}", "eve": f"deleted-{ids[2]}"}
    found = users(database, "login", "email", "state")
    assert found[0] == (f"deleted-{ids[0]}", None, "deleted")
    with database.reads.connect() as db:
        assert db.scalars(select(Job.kind)).all() == ["account", "account"]


@pytest.mark.parametrize("words", [("erase", "ann", "--posts", "keep"), ("delete", "ann")])
def test_without_a_terminal_and_yes_nothing_is_taken_away(
    run: Run, people: list[str], database: Database, words: tuple[str, ...]
) -> None:
    refused = run("user", *words)
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert users(database, "state")[0] == ("active",)


def test_block_takes_several_or_none(run: Run, people: list[str], database: Database) -> None:
    assert run("user", "block", "ann", "nobody").refusal
    assert {state for (state,) in users(database, "state")} == {"active"}
    assert run("user", "block", "ann", "bob").out == "ann is blocked now.\nbob is blocked now.\n"
    assert [state for (state,) in users(database, "state")] == ["blocked", "blocked", "active"]


def test_a_password_link_is_one_that_the_page_accepts(
    run: Run, people: list[str], database: Database
) -> None:
    link = run("user", "password-link", "ann").out.strip()
    [token] = parse_qs(urlsplit(link).query)["reset_token"]
    secret = "a secret that these tests made up"
    with database.reads.connect() as db:
        account = password_reset.verify_reset_token(db, secret, token, clock.now())
    assert (urlsplit(link).path, account and account.login) == ("/password/reset", "ann")


def test_a_password_link_is_not_mailed_where_no_mail_is_sent(run: Run, people: list[str]) -> None:
    assert "mail.delivery" in run("user", "password-link", "ann", "--mail").refusal


def test_list_finds_by_a_part_of_login_name_or_address(run: Run, people: list[str]) -> None:
    shown = run("user", "list", "--search", "BOB@", "--json").json["users"]
    assert [one["login"] for one in shown] == ["bob"]


def test_who_adds_an_admin_or_takes_the_data_of_a_person_stands_in_the_log(
    run: Run, tmp_path: Path
) -> None:
    run("user", "add", "boss", "--password", "tangled-wire-77", "--role", "admin")
    run("user", "export", "boss", str(tmp_path / "boss.zip"))
    listed = run("log", "list", "--user", "boss", "--json").json["log"]
    assert {(one["action"], (one["details"] or {}).get("role")) for one in listed} == {
        ("user.added", "admin"),
        ("user.exported", None),
    }
