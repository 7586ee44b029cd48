"""POST /oauth/introspect (RFC 7662), and the metadata (RFC 8414)."""

import pytest

from forumsvc.errors import Invalid
from forumsvc.oauth import clients, metadata, server
from forumsvc.oauth.messages import OAuthResponse
from tests.cases import each

from .oauth_fixture import OAuthFixture, credentials

INACTIVE = {"active": False}


def introspect(
    oauth: OAuthFixture, token: str, client: clients.NewClient | None = None
) -> OAuthResponse:
    """Introspect a token as a client."""
    form = {**credentials(client or oauth.app), "token": token}
    return oauth.call(server.introspect, form)


def test_an_access_token_is_introspected(oauth: OAuthFixture) -> None:
    issued = oauth.log_in(oauth.phone, scope="read")
    answer = introspect(oauth, issued["access_token"], oauth.client("api", introspects=True))
    now = int(oauth.time.now().timestamp())
    assert answer.status == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.body == {
        "active": True,
        "scope": "read",
        "client_id": oauth.phone.client_id,
        "username": "Ann",
        "sub": str(oauth.ann),
        "token_type": "Bearer",
        "iat": now,
        "exp": now + 86400,
    }


def test_a_refresh_token_is_introspected(oauth: OAuthFixture) -> None:
    first = oauth.log_in()
    narrow = oauth.refresh(first["refresh_token"], scope="read").body
    body = introspect(oauth, narrow["refresh_token"]).body
    assert body["scope"] == "read write"
    assert body["exp"] == int(oauth.time.now().timestamp()) + 2592000
    assert "token_type" not in body
    assert introspect(oauth, first["refresh_token"]).body == INACTIVE


def test_a_token_without_a_user_names_its_client(oauth: OAuthFixture) -> None:
    robot = oauth.client("robot", grants=("client_credentials",))
    issued = oauth.token(robot, grant_type="client_credentials").body
    body = introspect(oauth, issued["access_token"], robot).body
    assert body["sub"] == body["client_id"] == robot.client_id
    assert "username" not in body


def test_an_invalid_token_is_inactive_and_nothing_else_is_returned(oauth: OAuthFixture) -> None:
    revoked, deleted, expired = (oauth.log_in()["access_token"] for _ in range(3))
    oauth.call(server.revoke, {**credentials(oauth.app), "token": revoked})
    assert introspect(oauth, revoked).body == INACTIVE
    for garbage in ("x", "é", "a" * 8000):
        assert introspect(oauth, garbage).body == INACTIVE
    oauth.change(oauth.ann, state="deleted")
    assert introspect(oauth, deleted).body == INACTIVE
    oauth.change(oauth.ann, state="blocked")
    assert introspect(oauth, expired).body["active"] is True
    oauth.time.advance(seconds=86400)
    assert introspect(oauth, expired).body == INACTIVE


def test_only_a_confidential_client_may_introspect(oauth: OAuthFixture) -> None:
    token = oauth.log_in()["access_token"]
    answer = introspect(oauth, token, oauth.phone)
    assert (answer.status, answer.body["error"]) == (401, "invalid_client")
    for wrong in ({}, {"client_id": oauth.app.client_id, "client_secret": "x"}):
        answer = oauth.call(server.introspect, {**wrong, "token": token})
        assert (answer.status, answer.body["error"]) == (401, "invalid_client")
        assert answer.headers["WWW-Authenticate"].startswith("Basic ")


def test_some_clients_may_introspect_the_tokens_of_others(oauth: OAuthFixture) -> None:
    issued = oauth.log_in(oauth.phone)
    other, api = oauth.client("other"), oauth.client("api", introspects=True)
    for token in (issued["access_token"], issued["refresh_token"]):
        assert introspect(oauth, token, other).body == INACTIVE
        assert introspect(oauth, token, api).body["client_id"] == oauth.phone.client_id
    own = oauth.log_in(other)["access_token"]
    assert introspect(oauth, own, other).body["active"] is True
    with pytest.raises(Invalid, match="introspect"):
        oauth.client("public", public=True, introspects=True)


@each("issuer", ["https://forum.example", "http://127.0.0.1:6543"])
def test_the_metadata_lists_what_is_supported(issuer: str) -> None:
    body = metadata.authorization_server_metadata(issuer)
    assert body["issuer"] == issuer
    for name in ("authorization", "token", "revocation", "introspection"):
        assert body[f"{name}_endpoint"].startswith(f"{issuer}/oauth/")
    assert body["code_challenge_methods_supported"] == ["S256"]
    assert body["response_types_supported"] == ["code"]
    assert set(body["grant_types_supported"]) == set(clients.GRANTS)
    assert body["scopes_supported"] == ["read", "write", "moderate", "admin"]
    assert body["authorization_response_iss_parameter_supported"] is True
