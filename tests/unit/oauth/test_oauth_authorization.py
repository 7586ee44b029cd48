"""The authorization request and its response (RFC 6749 §4.1, RFC 9207, RFC 9700 §4.1)."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from forumsvc.oauth import authorization_endpoint, clients
from forumsvc.oauth.authorization_endpoint import NonRedirectableError, RedirectableError
from tests.cases import each

from .oauth_fixture import CALLBACK, ISSUER, OAuthFixture


def refused(oauth: OAuthFixture, client: clients.NewClient, **parameters: str) -> dict[str, str]:
    """Return the parameters of the error that is redirected to the client."""
    with pytest.raises(RedirectableError) as refusal:
        oauth.authorization_request(client, **parameters)
    return answered(refusal.value.location)


def answered(location: str) -> dict[str, str]:
    """Return the parameters of a redirect to the client's redirect URI."""
    assert urlsplit(location)._replace(query="").geturl() == CALLBACK
    return dict(parse_qsl(urlsplit(location).query, strict_parsing=True))


def test_the_response_has_code_state_and_issuer(oauth: OAuthFixture) -> None:
    sent = oauth.approve(oauth.authorization_request(oauth.app))
    assert len(sent.pop("code")) == 43
    assert sent == {"state": "a state", "iss": ISSUER}


def test_a_query_of_the_redirect_uri_is_kept(oauth: OAuthFixture) -> None:
    tenant = oauth.client(
        "tenant", grants=("authorization_code",), redirect_uris=(CALLBACK + "?tenant=1",)
    )
    sent = oauth.approve(oauth.authorization_request(tenant, redirect_uri=CALLBACK + "?tenant=1"))
    assert sent["tenant"] == "1"
    assert "code" in sent


def test_a_duplicate_client_or_redirect_uri_causes_no_redirect(oauth: OAuthFixture) -> None:
    good = oauth.authorization_request(oauth.app).parameters
    for name, value in (("client_id", good["client_id"]), ("redirect_uri", CALLBACK)):
        with oauth.database.session() as db, pytest.raises(NonRedirectableError):
            authorization_endpoint.validate_authorization_request(
                oauth.provider(db), [*good.items(), (name, value)]
            )


def test_the_redirect_uri_is_required_unless_exactly_one_is_registered(oauth: OAuthFixture) -> None:
    none = oauth.client("none", grants=("authorization_code",))
    two = oauth.client(
        "two", grants=("authorization_code",), redirect_uris=(CALLBACK, CALLBACK + "/2")
    )
    for client in (none, two):
        with pytest.raises(NonRedirectableError):
            oauth.authorization_request(client, redirect_uri="")
    with pytest.raises(NonRedirectableError):
        oauth.authorization_request(none)
    assert oauth.authorization_request(oauth.app, redirect_uri="").redirect_uri == CALLBACK


@each(
    ("error", "parameters"),
    [
        ("invalid_request", {"response_type": ""}),
        ("unsupported_response_type", {"response_type": "token"}),
        ("unsupported_response_type", {"response_type": "code token"}),
        ("invalid_scope", {"scope": "read admin"}),
        ("invalid_request", {"scope": "\0"}),
        ("invalid_request", {"code_challenge_method": "plain"}),
        ("invalid_request", {"code_challenge_method": ""}),
        ("invalid_request", {"code_challenge": "short"}),
        ("invalid_request", {"code_challenge": "é" * 43}),
    ],
)
def test_other_errors_are_redirected_with_state_and_issuer(
    oauth: OAuthFixture, error: str, parameters: dict[str, str]
) -> None:
    sent = refused(oauth, oauth.app, **parameters)
    assert (sent["error"], sent["state"], sent["iss"]) == (error, "a state", ISSUER)


def test_a_duplicate_parameter_is_redirected_as_an_error(oauth: OAuthFixture) -> None:
    good = oauth.authorization_request(oauth.app).parameters
    for doubled in (("scope", "read"), ("state", "b")):
        pairs = [*good.items(), ("scope", "read"), doubled]
        with oauth.database.session() as db, pytest.raises(RedirectableError) as refusal:
            authorization_endpoint.validate_authorization_request(oauth.provider(db), pairs)
        sent = answered(refusal.value.location)
        assert sent["error"] == "invalid_request"
        assert sent.get("state") == (None if doubled[0] == "state" else "a state")


def test_pkce_is_required_of_public_clients_and_by_a_setting_of_all(oauth: OAuthFixture) -> None:
    without = {"code_challenge": "", "code_challenge_method": ""}
    assert refused(oauth, oauth.phone, **without)["error"] == "invalid_request"
    assert oauth.authorization_request(oauth.app, **without)
    oauth.settings["oauth.require_pkce"] = True
    assert refused(oauth, oauth.app, **without)["error"] == "invalid_request"


def test_a_client_without_the_grant_type_gets_an_error(oauth: OAuthFixture) -> None:
    other = oauth.client("other", grants=("password",), redirect_uris=(CALLBACK,))
    assert refused(oauth, other)["error"] == "unauthorized_client"


def test_a_parameter_named_like_an_attribute_of_oauthlib_is_ignored(oauth: OAuthFixture) -> None:
    request = oauth.authorization_request(
        oauth.app, user="1", scopes="admin", response_mode="fragment"
    )
    assert "user" not in request.parameters
    assert "code" in oauth.approve(request)


def test_no_code_is_issued_if_client_user_or_session_is_gone(oauth: OAuthFixture) -> None:
    request = oauth.authorization_request(oauth.app)
    oauth.change(oauth.ann, state="deleted")
    with pytest.raises(RedirectableError) as refusal:
        oauth.approve(request)
    assert answered(refusal.value.location)["error"] == "access_denied"
