"""`forumsvc token list` and `token revoke`."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert, select, update

from forumsvc.clock import now
from forumsvc.db.engine import Database
from forumsvc.models import OAuthClient, OAuthCode, OAuthToken, User
from forumsvc.oauth import tokens
from tests.functional.cli.conftest import Run


@pytest.fixture
def app(run: Run) -> str:
    """The identifier of a client; and there are two users, ann and ben."""
    for login in ("ann", "ben"):
        run("user", "add", login, "--password", "correct horse")
    client_id: str = run("client", "add", "App", "--json").json["client_id"]
    return client_id


def listed(run: Run, *words: object) -> list[dict[str, Any]]:
    """Return the tokens that a list shows."""
    found: list[dict[str, Any]] = run("token", "list", *words, "--json").json["tokens"]
    return found


def alive(database: Database) -> list[str]:
    """Return the tokens that have not been revoked, each by user and client."""
    query = select(User.login, OAuthClient.name).select_from(OAuthToken).join(User)
    joined = query.join(OAuthClient, OAuthClient.id == OAuthToken.client_id)
    with database.reads.connect() as db:
        rows = db.execute(joined.where(OAuthToken.revoked_at.is_(None)).order_by(OAuthToken.id))
        return [f"{row.login} {row.name.split()[0]}" for row in rows]


def issue_four(run: Run, app: str) -> list[str]:
    """Issue a token of ann and of ben, each of the command line's client and of another."""
    return [
        run("token", "issue", login, *words, "--json").json["access_token"]
        for login in ("ann", "ben")
        for words in ((), ("--client", app))
    ]


def test_a_list_names_what_identifies_a_token_and_no_secret(
    run: Run, database: Database, app: str
) -> None:
    secrets = issue_four(run, app)
    first, second = listed(run, "ANN")
    assert [first["client"], second["client"]] == ["forumsvc-cli", app]
    assert set(second) == {
        *("id", "client", "login", "scope", "issued_by", "created_at", "expires_at"),
        *("refresh_expires_at", "revoked_at"),
    }
    assert (second["login"], second["issued_by"], second["revoked_at"]) == ("ann", "admin", None)
    assert [each["login"] for each in listed(run, "--client", app)] == ["ann", "ben"]
    assert [each["login"] for each in listed(run, "ben", "--client", app)] == ["ben"]
    with database.reads.connect() as db:
        hashes = list(db.scalars(select(OAuthToken.access_hash)))
    shown = run("token", "list", "ann").out + run("token", "list", "ann", "--json").out
    assert not [secret for secret in (*secrets, *hashes) if secret in shown]


def test_ended_tokens_are_listed_where_they_are_asked_for(
    run: Run, database: Database, app: str
) -> None:
    issue_four(run, app)
    first, second = (each["id"] for each in listed(run, "ann"))
    past = now() - timedelta(seconds=1)
    with database.session.begin() as db:
        by_id = update(OAuthToken).where
        db.execute(by_id(OAuthToken.id == first).values(access_expires_at=past))
    run("token", "revoke", second)
    assert listed(run, "ann") == []
    assert [each["id"] for each in listed(run, "ann", "--ended")] == [first, second]


def test_a_token_that_can_still_be_refreshed_is_alive(
    run: Run, database: Database, app: str
) -> None:
    with database.session.begin() as db:
        ids = {row.login: row.id for row in db.execute(select(User.login, User.id))}
        owner = {
            "client_id": tokens.get_or_create_builtin_client(db),
            "user_id": ids["ann"],
            "scope": "read",
        }
        tokens.issue(db, **owner, access_ttl=60, refresh_ttl=600)
        past = now() - timedelta(seconds=1)
        db.execute(update(OAuthToken).values(access_expires_at=past))
    [token] = listed(run, "ann")
    assert token["refresh_expires_at"] > token["expires_at"]


def test_a_token_is_revoked_by_its_id_with_its_family(
    run: Run, database: Database, app: str
) -> None:
    issue_four(run, app)
    with database.session.begin() as db:
        columns = select(*OAuthToken.__table__.columns).order_by(OAuthToken.id)
        row = db.execute(columns.limit(1)).one()._mapping
        later = {**row, "access_hash": "refreshed"}
        del later["id"]
        db.execute(insert(OAuthToken).values(later))
    assert run("token", "revoke", row["id"], "--json").json == {"revoked": 2}
    assert alive(database) == ["ann App", "ben forumsvc", "ben App"]
    assert run("token", "revoke", row["id"], "--json").json == {"revoked": 0}


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (("--login", "ANN"), ["ben forumsvc", "ben App"]),
        (("--client", "APP"), ["ann forumsvc", "ben forumsvc"]),
        (("--login", "ann", "--client", "APP"), ["ann forumsvc", "ben forumsvc", "ben App"]),
    ],
)
def test_tokens_are_revoked_by_user_and_by_client(
    run: Run, database: Database, app: str, words: tuple[str, ...], left: list[str]
) -> None:
    secrets = issue_four(run, app)
    given = [app if word == "APP" else word for word in words]
    assert run("token", "revoke", *given, "--json").json == {"revoked": 4 - len(left)}
    assert alive(database) == left
    with database.reads.connect() as db:
        good = [tokens.find_by_access_token(db, secret, now()) is not None for secret in secrets]
    assert good.count(True) == len(left)


def test_a_code_that_is_not_used_yet_gives_no_token_after_a_revocation(
    run: Run, database: Database, app: str
) -> None:
    moment = now()
    with database.session.begin() as db:
        client = db.scalars(select(OAuthClient.id).where(OAuthClient.client_id == app)).one()
        user = db.scalars(select(User.id).where(User.login == "ann")).one()
        of = {"client_id": client, "user_id": user, "scope": "read", "created_at": moment}
        later = moment + timedelta(days=1)
        db.execute(insert(OAuthCode).values(**of, code_hash="c", family="f", expires_at=later))
    run("token", "revoke", "--login", "ann")
    with database.reads.connect() as db:
        assert not db.scalars(select(OAuthCode.id)).all()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("list", "nobody"), "no user"),
        (("revoke", "9" * 30), "no token"),
        (("revoke", "--client", "nothing"), "no client"),
    ],
)
def test_what_is_not_there_is_refused(run: Run, words: tuple[str, ...], named: str) -> None:
    assert named in run("token", *words).refusal
