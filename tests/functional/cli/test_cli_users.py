"""`forumsvc user …`."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert, select

from forumsvc.clock import now
from forumsvc.db.engine import Database
from forumsvc.db.statements import update_of
from forumsvc.errors import Conflict
from forumsvc.models import BrowserSession, OAuthClient, OAuthCode, OAuthToken, User
from forumsvc.passwords import verify_password
from forumsvc.services import accounts
from tests.functional.cli.conftest import Run

PASSWORD = "correct horse"


def user(database: Database, login: str) -> Any:
    """Return a user's row."""
    with database.reads.connect() as db:
        return db.execute(select(User).where(User.login_key == login.lower())).one()


def log_in(database: Database, user_id: int) -> None:
    """Give a user a token with a refresh token, one without, an admin's, two codes, a session."""
    moment = now()
    later = moment + timedelta(days=1)
    with database.session.begin() as db:
        client = db.scalars(
            insert(OAuthClient)
            .values(client_id="c", name="c", grants="", scopes="read", created_at=moment)
            .returning(OAuthClient.id)
        ).one()
        of = {"client_id": client, "user_id": user_id, "scope": "read", "created_at": moment}
        for name, refresh in (("with", "refresh"), ("without", None), ("admin", None)):
            db.execute(
                insert(OAuthToken).values(
                    **of,
                    family=name,
                    access_hash=name,
                    access_expires_at=later,
                    refresh_hash=refresh,
                    refresh_expires_at=later if refresh else None,
                    issued_by="admin" if name == "admin" else "login",
                )
            )
        for name, used_at in (("used", moment), ("unused", None)):
            db.execute(
                insert(OAuthCode).values(
                    **of, code_hash=name, family=name, expires_at=later, used_at=used_at
                )
            )
        db.execute(
            insert(BrowserSession).values(
                user_id=user_id, secret_hash="s", created_at=moment, expires_at=later
            )
        )


def logged_in(database: Database) -> set[str]:
    """Return the tokens, codes and sessions that have not ended."""
    with database.reads.connect() as db:
        return {
            *db.scalars(select(OAuthToken.access_hash).where(OAuthToken.revoked_at.is_(None))),
            *db.scalars(select(OAuthCode.code_hash).where(OAuthCode.expires_at > now())),
            *db.scalars(select(BrowserSession.secret_hash)),
        }


def test_a_new_user_is_a_member_with_the_password_given(run: Run, database: Database) -> None:
    added = run("user", "add", "Ann_1", "--password", PASSWORD, "--json").json
    assert added == {"id": added["id"], "login": "Ann_1", "role": "member"}
    row = user(database, "ann_1")
    assert (row.id, row.login, row.state, row.name, row.email) == (
        added["id"],
        "Ann_1",
        "active",
        "",
        None,
    )
    assert verify_password(row.password_hash, PASSWORD)
    assert PASSWORD not in row.password_hash


def test_a_new_user_gets_what_the_options_say(run: Run, database: Database) -> None:
    options = ("--email", "Ann@Example.org", "--name", "Ann A.", "--role", "maintainer")
    added = run("user", "add", "ann", "--password", PASSWORD, *options, "--json").json
    assert added["role"] == "maintainer"
    row = user(database, "ann")
    assert (row.email, row.email_key) == ("Ann@Example.org", "ann@example.org")
    assert (row.name, row.role, row.email_public) == ("Ann A.", "maintainer", False)


@pytest.mark.parametrize(
    "words", [("12345",), ("ann", "--email", "a@b@c"), ("ann", "--name", "a\nb")]
)
def test_a_user_who_cannot_be_is_refused(
    run: Run, database: Database, words: tuple[str, ...]
) -> None:
    run("user", "add", *words, "--password", PASSWORD).refusal  # noqa: B018 - asserts
    with database.reads.connect() as db:
        assert not db.execute(select(User.id)).all()


def test_of_many_who_take_a_login_or_an_email_at_once_one_gets_it(database: Database) -> None:
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


def test_a_role_is_given_to_the_user_of_any_case(run: Run, database: Database) -> None:
    role = "maintainer"
    added = run("user", "add", "ann", "--password", PASSWORD, "--role", "vip", "--json").json
    changed = run("user", "role", "ANN", role, "--json").json
    assert changed == {"id": added["id"], "login": "ann", "role": role, "state": "active"}
    assert user(database, "ann").role == role


def test_blocking_and_unblocking_a_user_may_be_done_twice(run: Run, database: Database) -> None:
    run("user", "add", "ann", "--password", PASSWORD)
    for command, state in (("block", "blocked"), ("unblock", "active")):
        for _ in range(2):
            assert run("user", command, "ann", "--json").json["state"] == state
        assert user(database, "ann").state == state


def test_a_new_password_ends_every_login_and_spares_what_an_admin_issued(
    run: Run, database: Database
) -> None:
    added = run("user", "add", "ann", "--password", PASSWORD, "--json").json
    log_in(database, added["id"])
    run("user", "password", "ann", "--password", "another horse", "--json").json["login"]
    assert verify_password(user(database, "ann").password_hash, "another horse")
    assert logged_in(database) == {"admin", "used"}


def test_a_deleted_user_keeps_the_login_and_nothing_to_log_in_with(
    run: Run, database: Database
) -> None:
    added = run("user", "add", "ann", "--password", PASSWORD, "--email", "a@b.org", "--json").json
    log_in(database, added["id"])
    for _ in range(2):
        assert run("user", "delete", "ann", "--json", "--yes").json["state"] == "deleted"
    row = user(database, "ann")
    assert (row.state, row.email, row.email_key, row.password_hash) == ("deleted", None, None, None)
    assert logged_in(database) == {"used"}
    assert "taken" in run("user", "add", "ann", "--password", PASSWORD).refusal
    run("user", "add", "ben", "--password", PASSWORD, "--email", "a@b.org", "--json").json["id"]


@pytest.mark.parametrize(
    "words",
    [
        ("role", "ann", "admin"),
        ("unblock", "ann"),
        ("password", "ann", "--password", "another horse"),
    ],
)
def test_a_deleted_user_stays_deleted(run: Run, database: Database, words: tuple[str, ...]) -> None:
    run("user", "add", "ann", "--password", PASSWORD)
    run("user", "delete", "ann", "--yes")
    before = user(database, "ann")
    assert "deleted" in run("user", *words).refusal
    assert user(database, "ann") == before


@pytest.mark.parametrize(
    "words",
    [
        ("role", "nobody", "admin"),
        ("block", "nobody"),
        ("delete", "nobody"),
        ("password", "nobody", "--password", PASSWORD),
        ("block", "\u212aarl"),
        ("block", "x\udcff"),
    ],
)
def test_a_user_who_is_not_there_is_refused(run: Run, words: tuple[str, ...]) -> None:
    run("user", "add", "karl", "--password", PASSWORD)
    assert "no user" in run("user", *words).refusal


def test_an_admin_confirms_the_address_of_a_user_who_gets_no_email(
    run: Run, database: Database
) -> None:
    run("user", "add", "ann", "--password", PASSWORD, "--email", "ann@example.org")
    assert "has no email address that has to be confirmed" in run("user", "confirm", "ann").refusal
    added = run("user", "show", "ann", "--json").json
    assert added["email_confirmed_at"] == added["created_at"]
    with database.session.begin() as db:
        db.execute(update_of(User).values(email_confirmed_at=None))
    shown = run("user", "confirm", "ANN").out
    assert "ann@example.org is the confirmed email address of ann now." in shown
    with database.session.begin() as db:
        db.execute(update_of(User).values(unconfirmed_email="new@example.org"))
    assert run("user", "confirm", "ann", "--json").json["email"] == "new@example.org"
    row = user(database, "ann")
    assert (row.email, row.unconfirmed_email) == ("new@example.org", None)
    log = run("log", "list", "--json").json
    assert "user.email_confirmed" in str(log)
    assert "example.org" not in str(log)
    assert "There is no user" in run("user", "confirm", "nobody").refusal
