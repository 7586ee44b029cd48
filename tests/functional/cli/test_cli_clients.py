"""`forumsvc client …` and `forumsvc token …`."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from forumsvc.clock import now
from forumsvc.db.engine import Database
from forumsvc.models import OAuthToken
from forumsvc.oauth import clients, tokens
from forumsvc.services import accounts
from tests.functional.cli.conftest import Run


@pytest.fixture
def ann(run: Run) -> str:
    """The login of a user."""
    login: str = run("user", "add", "ann", "--password", "correct horse", "--json").json["login"]
    return login


def owner(database: Database, token: str) -> Any:
    """Return for what an access token stands, None where it stands for nothing."""
    with database.reads.connect() as db:
        return tokens.find_by_access_token(db, token, now())


def test_a_new_client_has_the_credentials_that_were_printed(run: Run, database: Database) -> None:
    added = run("client", "add", "App", "--json").json
    assert set(added) == {"client_id", "client_secret"}
    with database.reads.connect() as db:
        client = clients.authenticate(db, added["client_id"], added["client_secret"])
    assert client is not None
    assert client.name == "App"
    assert set(client.grants) == {"password", "refresh_token", "authorization_code"}
    assert set(client.scopes) == {"read", "write"}
    assert client.redirect_uris == ()


def test_a_client_gets_what_the_options_say(run: Run) -> None:
    added = run(
        *("client", "add", "App", "--grant", "authorization_code", "--grant", "refresh_token"),
        *("--redirect-uri", "https://a.example/cb", "--redirect-uri", "https://b.example/cb"),
        *("--scope", "read", "--public", "--json"),
    ).json
    assert added["client_secret"] is None
    assert run("client", "list", "--json").json == {
        "clients": [
            {
                "client_id": added["client_id"],
                "name": "App",
                "public": True,
                "grants": ["refresh_token", "authorization_code"],
                "scopes": ["read"],
                "redirect_uris": ["https://a.example/cb", "https://b.example/cb"],
                "owner": None,
                "enabled": True,
                "introspect": False,
            }
        ]
    }


def test_a_client_introspects_where_the_options_say_so(run: Run) -> None:
    run("client", "add", "App", "--introspect", "--json")
    run("client", "add", "Other", "--json")
    listed = run("client", "list", "--json").json["clients"]
    assert [each["introspect"] for each in listed] == [True, False]
    refused = run("client", "add", "Phone", "--introspect", "--public").refusal
    assert "a public client cannot introspect" in refused


def test_no_token_is_issued_at_a_client_whose_owner_is_blocked(
    run: Run, database: Database, ann: str
) -> None:
    run("user", "add", "bob", "--password", "tangled-wire-77")
    with database.session.begin() as db:
        bob = accounts.find(db, "bob").id
        client_id = clients.create(db, "App", grants=("refresh_token",), owner_id=bob).client_id
    issue = ("token", "issue", ann, "--client", client_id, "--json")
    token = run(*issue).json["access_token"]
    run("user", "block", "bob")
    assert "disabled" in run(*issue).refusal
    assert owner(database, token) is None
    run("user", "unblock", "bob")
    assert run(*issue).json["access_token"]
    assert owner(database, token) is None


def test_a_secret_is_shown_once(run: Run) -> None:
    shown = run("client", "add", "App").out
    (secret,) = (line.split()[1] for line in shown.splitlines() if "client_secret:" in line)
    listed = run("client", "list")
    assert "App" in listed.out
    assert secret not in listed.out
    assert secret not in run("client", "list", "--json").out


def test_a_removed_client_is_gone_with_its_tokens(run: Run, database: Database, ann: str) -> None:
    client_id = run("client", "add", "App", "--json").json["client_id"]
    token = run("token", "issue", ann, "--client", client_id, "--json").json["access_token"]
    assert run("client", "delete", client_id, "--json", "--yes").json == {"client_id": client_id}
    assert run("client", "list", "--json").json == {"clients": []}
    assert owner(database, token) is None
    assert "no such client" in run("client", "delete", client_id, "--yes").refusal


@pytest.mark.parametrize(
    "words",
    [
        ("",),
        ("App", "--scope", "everything"),
        ("App", "--redirect-uri", "javascript:alert(1)"),
        ("App", "--public", "--grant", "client_credentials"),
    ],
)
def test_a_client_that_cannot_be_is_refused(run: Run, words: tuple[str, ...]) -> None:
    run("client", "add", *words).refusal  # noqa: B018 - asserts
    assert run("client", "list", "--json").json == {"clients": []}


def test_an_issued_token_is_its_users_for_the_time_of_the_settings(
    run: Run, database: Database, ann: str
) -> None:
    issued = run("token", "issue", "ANN", "--json").json
    assert set(issued) == {"access_token", "expires_in"}
    assert issued["expires_in"] == 86_400
    found = owner(database, issued["access_token"])
    assert (found.login, found.scope) == (ann, "read write")


def test_an_issued_token_has_the_scope_and_life_asked_for(
    run: Run, database: Database, ann: str
) -> None:
    issued = run("token", "issue", ann, "--scope", "read", "--ttl", 60, "--json").json
    assert issued["expires_in"] == 60
    assert owner(database, issued["access_token"]).scope == "read"
    with database.reads.connect() as db:
        row = db.execute(select(OAuthToken)).one()
    assert row.access_expires_at - row.created_at == timedelta(seconds=60)
    assert row.refresh_hash is None


def test_a_token_has_no_more_scope_than_its_client(run: Run, database: Database, ann: str) -> None:
    client_id = run("client", "add", "App", "--scope", "read", "--json").json["client_id"]
    of = ("token", "issue", ann, "--client", client_id)
    assert "scope" in run(*of, "--scope", "write").refusal
    token = run(*of, "--json").json["access_token"]
    assert owner(database, token).scope == "read"


@pytest.mark.parametrize(
    "words", [("nobody",), ("ann", "--client", "nothing"), ("ann", "--scope", "everything")]
)
def test_a_token_for_nobody_or_nothing_is_refused(
    run: Run, database: Database, ann: str, words: tuple[str, ...]
) -> None:
    run("token", "issue", *words).refusal  # noqa: B018 - asserts
    with database.reads.connect() as db:
        assert not db.execute(select(OAuthToken.id)).all()


def test_purging_removes_expired_and_revoked_tokens_alone(
    run: Run, database: Database, ann: str
) -> None:
    kept = run("token", "issue", ann, "--json").json["access_token"]
    run("token", "issue", ann)
    run("token", "issue", ann)
    with database.session.begin() as db:
        _, expired, revoked = db.scalars(select(OAuthToken.id).order_by(OAuthToken.id)).all()
        by_id = update(OAuthToken).where
        past = now() - timedelta(seconds=1)
        db.execute(by_id(OAuthToken.id == expired).values(access_expires_at=past))
        db.execute(by_id(OAuthToken.id == revoked).values(revoked_at=past))
    assert run("token", "purge", "--json").json == {"removed": 2}
    assert owner(database, kept) is not None
    assert run("token", "purge", "--json").json == {"removed": 0}


def test_db_upgrade_registers_the_explorers_client_unless_there_is_no_explorer(
    run: Run, ini: Path
) -> None:
    original = ini.read_text()
    ini.write_text(f"{original}docs.enabled = false\n")
    run("db", "upgrade")
    assert run("--json", "client", "list").json == {"clients": []}
    ini.write_text(original)
    for _ in range(2):
        run("db", "upgrade")
    [client] = run("--json", "client", "list").json["clients"]
    assert (client["client_id"], client["public"]) == ("explorer", True)
    assert client["grants"] == ["authorization_code"]
