"""`forumsvc user …`."""

import stat
import zipfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.errors import Conflict
from forumsvc.models import (
    Role,
    User,
)
from forumsvc.process.passwords import verify_password
from forumsvc.services.accounts import accounts, password_reset
from forumsvc.services.moderation import restrictions
from tests.functional.cli.conftest import Run
from tests.functional.cli.terminal import run_on_terminal
from tests.functional.rows import insert_row

PASSWORD = "correct horse"


def user(database: Database, login: str) -> Any:
    with database.reads.connect() as db:
        return db.execute(select(User).where(User.login_key == login.lower())).one()


def test_of_many_who_take_a_login_or_an_email_at_once_one_gets_it(database):
    def add(number: int) -> str:
        login, email = ("ann", f"{number}@b.org") if number % 2 else (f"ben{number}", "a@b.org")
        try:
            with database.session.begin() as db:
                return accounts.create(db, login, PASSWORD, email=email).login
        except Conflict:
            return ""

    with ThreadPoolExecutor(8) as pool:
        added = sorted(filter(None, pool.map(add, range(8))))
    with database.reads.connect() as db:
        assert sorted(db.scalars(select(User.login))) == added
    assert len(added) == 2
    assert added[0] == "ann"


def add(run: Run, login: str, role: str = "admin") -> None:
    words = ("--password", PASSWORD, "--role", role, "--email", f"{login}@x.org")
    assert run("user", "add", login, *words).code == 0


def admins(run: Run) -> list[str]:
    found = run("user", "list", "--role", "admin", "--state", "active", "--json").json["users"]
    return [each["login"] for each in found]


@pytest.mark.parametrize("take_away", [restrictions.silence_without_reason, accounts.delete])
def test_of_two_admins_taken_away_at_once_one_stays(run, database, take_away):
    logins = [f"admin{number}" for number in range(6)]
    for login in logins:
        add(run, login)

    def take(login: str) -> bool:
        try:
            with database.session.begin() as db:
                take_away(db, login)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(len(logins)) as pool:
        done = list(pool.map(take, logins))
    assert done.count(False) == 1
    assert len(admins(run)) == 1


def test_an_admin_is_counted_only_when_the_other_change_is_done(run, database):
    for login in ("ann", "ben"):
        add(run, login)
    with ThreadPoolExecutor(1) as pool:
        with database.session.begin() as db:
            accounts.set_role(db, None, clock.now(), "ann", Role.MEMBER)
            # It waits for this transaction, whatever comes of it.
            other = pool.submit(run, "user", "role", "ben", "member")
        assert "last active admin" in other.result().refusal
    assert admins(run) == ["ben"]


@pytest.mark.parametrize("ending", ["", "\r\n", "\nanother line\n"])
def test_a_password_comes_from_standard_input(run, database, ending):
    done = run("user", "add", "ann", "--password-stdin", stdin=f"  {PASSWORD} {ending}")
    assert (done.code, done.err) == (0, "")
    assert verify_password(user(database, "ann").password_hash, f"  {PASSWORD} ")
    done = run("user", "password", "ann", "--password-stdin", stdin=f"another horse{ending}")
    assert (done.code, done.err) == (0, "")
    assert verify_password(user(database, "ann").password_hash, "another horse")


def test_an_empty_standard_input_is_refused(run):
    assert "Standard input is empty" in run("user", "add", "ann", "--password-stdin").refusal


def test_export_writes_a_file_for_its_owner_alone_and_overwrites_none(run, tmp_path):
    add(run, "ann")
    add(run, "bob")
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
    for login, exports in (("ann", 1), ("bob", 0)):
        log = run("log", "list", "--user", login, "--json").json["log"]
        assert [record["action"] for record in log].count("user.exported") == exports


def test_a_password_link_is_one_that_the_page_accepts(run, database):
    add(run, "ann")
    link = run("user", "password-link", "ann").out.strip()
    [token] = parse_qs(urlsplit(link).query)["reset_token"]
    secret = "a secret that these tests made up"
    with database.reads.connect() as db:
        account = password_reset.verify_reset_token(db, secret, token, clock.now())
    assert (urlsplit(link).path, account and account.login) == ("/password/reset", "ann")


def test_a_name_cannot_steer_the_terminal(run, ini, database):
    name = "\x1b[31mred\tname"
    with database.session.begin() as db:
        insert_row(db, User, login="emil", name=name)
        insert_row(db, User, login="fred")
    for shown in (run("user", "list").out, run_on_terminal(ini, "user", "list").shown):
        assert "\x1b" not in shown
        assert "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}name" in shown
    assert run("user", "list", "--json").json["users"][0]["name"] == name
    assert "--after" in run("user", "list", "--limit", 1).err
