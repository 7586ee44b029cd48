"""What is stored of clients, codes and tokens, and for how long."""

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from forumsvc import clock
from forumsvc.db.expired_rows import delete_batch
from forumsvc.errors import Invalid
from forumsvc.models import Base, OAuthClient, OAuthCode, OAuthToken, User
from forumsvc.oauth import clients, tokens
from forumsvc.sessions.token_hash import hash_token
from tests.cases import each

from .provider import OAuth


def rows(oauth: OAuth, model: type[Base]) -> str:
    """Return all rows of a table as text."""
    with oauth.forum.database.reads.connect() as connection:
        return repr(connection.execute(select(model.__table__)).all())


def test_of_secrets_of_256_random_bits_the_hashes_are_stored(oauth):
    issued, code = oauth.log_in(), oauth.code(oauth.app)
    for model, secret in (
        (OAuthClient, oauth.app["client_secret"]),
        (OAuthToken, issued["access_token"]),
        (OAuthToken, issued["refresh_token"]),
        (OAuthCode, code),
    ):
        assert len(secret) == 43
        assert hash_token(secret) in rows(oauth, model)
        assert secret not in rows(oauth, model)


def purge(oauth: OAuth) -> int:
    """Delete what has expired; return how many of the tokens."""
    now = clock.now()
    deleted = [delete_batch(oauth.forum.database, one, now) for one in tokens.EXPIRED]
    return deleted[0]


def test_purge_keeps_a_used_code_as_long_as_its_tokens(oauth):
    used, unused = oauth.code(oauth.app), oauth.code(oauth.app)
    issued = oauth.exchange(oauth.app, used).json
    purge(oauth)
    assert oauth.count(OAuthCode) == 2
    oauth.time.advance(seconds=61)
    purge(oauth)
    assert oauth.count(OAuthCode) == 1
    assert oauth.exchange(oauth.app, unused).status_int == 400
    assert oauth.exchange(oauth.app, used).status_int == 400
    assert not oauth.is_valid(issued["access_token"])
    purge(oauth)
    assert oauth.count(OAuthCode) == 0


def test_purge_deletes_only_expired_and_revoked_tokens(oauth):
    ended, kept = oauth.log_in(), oauth.log_in()
    no_refresh = oauth.log_in(oauth.client("short", grants=("password",)))
    assert purge(oauth) == 0
    oauth.call("revoke", **oauth.app, token=ended["access_token"])
    assert purge(oauth) == 1
    oauth.time.advance(days=2)
    assert purge(oauth) == 1, "the one that had no refresh token"
    assert not oauth.is_valid(no_refresh["access_token"])
    newer = oauth.refresh(kept["refresh_token"]).json
    assert purge(oauth) == 0, "a used refresh token must be known until it would have expired"
    assert oauth.refresh(kept["refresh_token"]).status_int == 400
    assert not oauth.is_valid(newer["access_token"])
    assert purge(oauth) == 2
    oauth.log_in()
    oauth.time.advance(days=30)
    assert purge(oauth) == 1
    assert oauth.count() == 0


def test_the_builtin_client_exists_once_and_cannot_authenticate(oauth):
    with oauth.forum.database.session.begin() as db:
        row = tokens.get_or_create_builtin_client(db)
        assert tokens.get_or_create_builtin_client(db) == row
    for secret in (None, "x"):
        client = {"client_id": tokens.BUILTIN_CLIENT}
        answer = oauth.call("revoke", **client, token="x", client_secret=secret)
        assert answer.json["error"] == "invalid_client"


@each(
    ("field", "options"),
    [
        ("grants", {"grants": ("implicit",)}),
        ("grants", {"grants": ()}),
        ("grants", {"grants": ("client_credentials",), "public": True}),
        ("grants", {"grants": ("password", "refresh_token"), "owner_id": 1}),
        ("scopes", {"scopes": ("root",)}),
        ("scopes", {"scopes": ()}),
        ("redirect_uri", {"redirect_uris": ("http://a.example/",)}),
        ("introspect", {"introspects": True, "public": True}),
        *(("name", {"name": name}) for name in ("  ", "x" * 101, "a\0b", "a\nb", "\u202egpj.exe")),
    ],
)
def test_an_invalid_client_is_rejected_with_the_field(oauth, field, options):
    with oauth.forum.database.session.begin() as db, pytest.raises(Invalid) as refused:
        clients.create(db, **{"name": "x", "grants": ("password",), **options})
    assert refused.value.field == field


def test_database_errors_contain_no_user_input(oauth):
    with oauth.forum.database.reads.connect() as connection, pytest.raises(DBAPIError) as failed:
        connection.execute(
            select(User.id).where(User.login == "a password typed there", text("no_such_column"))
        )
    assert "no_such_column" in str(failed.value)
    assert "typed there" not in str(failed.value)
