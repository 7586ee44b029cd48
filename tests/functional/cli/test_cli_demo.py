"""`forumsvc demo`."""

from typing import Any

import pytest
from sqlalchemy import func, select

from forumsvc.db.engine import Database
from forumsvc.models import Base, Topic, User
from forumsvc.oauth import clients
from forumsvc.process.passwords import verify_password
from tests.functional.cli.terminal import run_on_terminal

SMALL = ("--language", "zh")


def rows(database: Database, *columns: Any) -> list[Any]:
    with database.reads.connect() as db:
        return list(db.execute(select(*columns).order_by(columns[0])).all())


def test_a_demo_prints_what_was_written(run, database):
    printed = run("demo", *SMALL, "--json").json
    tables = {table.name: table for table in Base.metadata.sorted_tables}
    with database.reads.connect() as db:
        for name in tables.keys() & printed.keys():
            assert db.scalar(select(func.count()).select_from(tables[name])) == printed[name]
    assert {"users", "nodes", "topics", "replies", "topic_likes"} <= tables.keys() & printed.keys()


def test_one_can_log_in_as_a_member_and_as_an_admin_by_the_client_that_is_printed(run, database):
    printed = run("demo", *SMALL, "--json").json
    users = {row.login: row for row in rows(database, User.login, User.role, User.password_hash)}
    assert {users["demo"].role, users["admin"].role} == {"member", "admin"}
    assert printed["login"] == "demo"
    for login in ("demo", "admin"):
        assert verify_password(users[login].password_hash, printed["password"])
    with database.reads.connect() as db:
        client = clients.authenticate(db, printed["client_id"], printed["client_secret"])
    assert client is not None
    assert "password" in client.grants


def test_a_demo_speaks_the_language_asked_for(run, database):
    run("demo", "--language", "zh")
    titles = [row.title for row in rows(database, Topic.id, Topic.title)]
    assert titles
    assert all(any("一" <= letter <= "鿿" for letter in title) for title in titles)


def test_a_demo_says_what_to_try_again_and_again(run, ini):
    with ini.open("a") as file:
        file.write("[server:main]\nuse = egg:waitress\nlisten = *:6599\n")
    first = run("demo", *SMALL).out
    again = run("demo", *SMALL, "--if-empty").out
    for said in (first, again):
        assert "curl 'http://127.0.0.1:6599/api/v3/topics?limit=3'" in said
        assert "username=demo -d password=demo-password" in said


def test_a_demo_in_production_has_secrets_of_its_own(run, database, ini):
    ini.write_text(
        ini.read_text().replace("= development", "= production\nsite.url = https://forum.example")
    )
    printed = run("demo", *SMALL, "--json", "--yes").json
    (stored,) = {row.password_hash for row in rows(database, User.id, User.password_hash)}
    assert verify_password(stored, printed["password"])
    assert not verify_password(stored, "demo-password")
    with database.reads.connect() as db:
        assert clients.authenticate(db, "demo", printed["client_secret"]) is not None
        assert clients.authenticate(db, "demo", "demo-secret") is None
    assert run("demo", *SMALL, "--if-empty").out == (
        "There are users in the database already: nothing was added.\n"
    )


@pytest.mark.extended
def test_a_demo_in_production_is_asked_about_on_a_terminal(database, ini):
    ini.write_text(
        ini.read_text().replace("= development", "= production\nsite.url = https://forum.example")
    )
    typed = run_on_terminal(ini, "demo", *SMALL, answer="n\n")
    assert typed.code == 1
    assert "invented users" in typed.shown
    assert rows(database, User.id) == []
    assert run_on_terminal(ini, "demo", *SMALL, "--yes").code == 0
    assert len(rows(database, User.id)) > 20
