"""POST /oauth/revoke (RFC 7009), and purging tokens."""

from forumsvc.oauth import server, tokens
from forumsvc.oauth.messages import OAuthResponse

from .oauth_fixture import OAuthFixture, credentials


def revoke(oauth: OAuthFixture, token: str, **parameters: str) -> OAuthResponse:
    """Revoke a token as the confidential client."""
    return oauth.call(server.revoke, {**credentials(oauth.app), "token": token, **parameters})


def test_a_revoked_access_token_is_invalid_at_once(oauth: OAuthFixture) -> None:
    issued = oauth.log_in()
    answer = revoke(oauth, issued["access_token"])
    assert (answer.status, answer.body) == (200, {})
    assert answer.headers["Cache-Control"] == "no-store"
    assert not oauth.is_valid(issued["access_token"])
    assert oauth.refresh(issued["refresh_token"]).status == 400


def test_revoking_a_refresh_token_revokes_its_family(oauth: OAuthFixture) -> None:
    first = oauth.log_in()
    second = oauth.refresh(first["refresh_token"]).body
    assert revoke(oauth, second["refresh_token"]).status == 200
    assert not oauth.is_valid(first["access_token"])
    assert not oauth.is_valid(second["access_token"])
    assert oauth.refresh(second["refresh_token"]).status == 400


def test_an_unknown_token_and_a_wrong_hint_are_no_error(oauth: OAuthFixture) -> None:
    issued = oauth.log_in()
    assert revoke(oauth, "unknown").status == 200
    assert revoke(oauth, issued["access_token"], token_type_hint="refresh_token").status == 200
    assert not oauth.is_valid(issued["access_token"])
    assert revoke(oauth, issued["access_token"], token_type_hint="nonsense").status == 200


def test_another_clients_token_is_not_revoked(oauth: OAuthFixture) -> None:
    issued = oauth.log_in(oauth.phone)
    answer = revoke(oauth, issued["access_token"])
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")
    assert oauth.is_valid(issued["access_token"])


def test_a_public_client_revokes_its_own(oauth: OAuthFixture) -> None:
    issued = oauth.log_in(oauth.phone)
    form = {**credentials(oauth.phone), "token": issued["access_token"]}
    assert oauth.call(server.revoke, form).status == 200
    assert not oauth.is_valid(issued["access_token"])


def test_purge_deletes_only_expired_and_revoked_tokens(oauth: OAuthFixture) -> None:
    ended, kept = oauth.log_in(), oauth.log_in()
    no_refresh = oauth.log_in(oauth.client("short", grants=("password",)))
    assert oauth.purge() == 0
    revoke(oauth, ended["access_token"])
    assert oauth.purge() == 1
    oauth.time.advance(days=2)
    assert oauth.purge() == 1, "the one that had no refresh token"
    assert not oauth.is_valid(no_refresh["access_token"])
    newer = oauth.refresh(kept["refresh_token"]).body
    assert oauth.purge() == 0, "a used refresh token must be known until it would have expired"
    assert oauth.refresh(kept["refresh_token"]).commit
    assert not oauth.is_valid(newer["access_token"])
    assert oauth.purge() == 2
    oauth.log_in()
    oauth.time.advance(days=30)
    assert oauth.purge() == 1
    assert oauth.count() == 0


def test_the_builtin_client_exists_once_and_cannot_authenticate(oauth: OAuthFixture) -> None:
    with oauth.database.session.begin() as db:
        row = tokens.get_or_create_builtin_client(db)
        assert tokens.get_or_create_builtin_client(db) == row
    for secret in ({}, {"client_secret": "x"}):
        form = {"client_id": tokens.BUILTIN_CLIENT, "token": "x", **secret}
        assert oauth.call(server.revoke, form).body["error"] == "invalid_client"
