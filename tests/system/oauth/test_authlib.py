"""All flows with Authlib, a client library that shares no code with the provider."""

from urllib.parse import parse_qs, urlsplit

import pytest
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

from forumsvc.oauth.clients import NewClient

from .browser import Browser
from .service import CALLBACK, PASSWORD, Service

pytestmark = pytest.mark.usefixtures("plain_http")


def session(
    forum: Service, client: NewClient, method: str = "client_secret_basic"
) -> OAuth2Session:
    """Return a session from the provider's metadata and the client's credentials."""
    return OAuth2Session(
        client.client_id,
        client.client_secret,
        token_endpoint_auth_method=method,
        redirect_uri=CALLBACK,
        code_challenge_method="S256",
        token_endpoint=f"{forum.url}/oauth/token",
    )


def allowed(forum: Service, app: OAuth2Session, ann: Browser, verifier: str | None) -> str:
    """Have Ann authorize an application; return the URL that she is redirected to."""
    address, state = app.create_authorization_url(
        f"{forum.url}/oauth/authorize", code_verifier=verifier
    )
    location = ann.allow(address)
    answered = parse_qs(urlsplit(location).query)
    assert answered["state"] == [state]
    assert answered["iss"] == [forum.url]
    return location


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_password_refresh_introspection_revocation(forum: Service, method: str) -> None:
    app = session(forum, forum.client("authlib"), method)
    first = app.fetch_token(username="ann", password=PASSWORD, grant_type="password")
    assert app.get(f"{forum.url}/api/v3/hello").json() == {"current_user": "Ann"}
    second = app.refresh_token(f"{forum.url}/oauth/token")
    assert second["access_token"] != first["access_token"]
    assert app.get(f"{forum.url}/api/v3/hello").status_code == 200
    endpoints = {name: f"{forum.url}/oauth/{name}" for name in ("introspect", "revoke")}
    result = app.introspect_token(endpoints["introspect"], token=second["access_token"]).json()
    assert (result["active"], result["username"]) == (True, "Ann")
    gone = app.revoke_token(
        endpoints["revoke"], token=second["refresh_token"], token_type_hint="refresh_token"
    )
    assert gone.status_code == 200
    assert forum.hello(first["access_token"]).status_code == 401
    assert forum.hello(second["access_token"]).status_code == 401


def test_client_credentials(forum: Service) -> None:
    app = session(forum, forum.client("authlib robot", grants=("client_credentials",)))
    given = app.fetch_token(grant_type="client_credentials", scope="read")
    assert "refresh_token" not in given
    assert app.get(f"{forum.url}/api/v3/topics").status_code == 200
    assert app.get(f"{forum.url}/api/v3/hello").status_code == 403


@pytest.mark.parametrize("public", [True, False])
def test_authorization_code_with_pkce(forum: Service, ann: Browser, public: bool) -> None:
    client = forum.client("authlib", public=public)
    app = session(forum, client, "none" if public else "client_secret_basic")
    verifier = generate_token(64)
    location = allowed(forum, app, ann, verifier)
    app.fetch_token(authorization_response=location, code_verifier=verifier)
    assert app.get(f"{forum.url}/api/v3/hello").json() == {"current_user": "Ann"}
    app.refresh_token(f"{forum.url}/oauth/token")
    assert app.get(f"{forum.url}/api/v3/hello").status_code == 200
    with pytest.raises(OAuthError, match="invalid_grant"):
        app.fetch_token(authorization_response=location, code_verifier=verifier)


def test_a_wrong_verifier_and_a_wrong_password_are_its_errors(forum: Service, ann: Browser) -> None:
    app = session(forum, forum.client("authlib"))
    location = allowed(forum, app, ann, generate_token(64))
    with pytest.raises(OAuthError, match="invalid_grant"):
        app.fetch_token(authorization_response=location, code_verifier=generate_token(64))
    with pytest.raises(OAuthError, match="invalid_grant"):
        app.fetch_token(username="ann", password="wrong", grant_type="password")
