"""All flows with Authlib, a client library that shares no code with the provider."""

from typing import Any

import pytest
import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

from .application import PASSWORD
from .provider import CALLBACK, Client, OAuth, challenge

HOST = "http://localhost"


class InProcess(BaseAdapter):
    """Sends requests of a session to the application under test."""

    def __init__(self, app: Any) -> None:
        super().__init__()
        self._app = app

    def send(self, request: Any, *_: Any, **__: Any) -> requests.Response:
        body = request.body or b""
        answer = self._app.request(
            request.path_url,
            method=request.method,
            headers=dict(request.headers),
            body=body.encode() if isinstance(body, str) else body,
            expect_errors=True,
        )
        made = requests.Response()
        made.request, made.url, made.status_code = request, str(request.url), answer.status_int
        made.headers = CaseInsensitiveDict(answer.headers)
        made._content = answer.body
        return made

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow the library to use a service without TLS."""
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")


def session(oauth: OAuth, client: Client, method: str) -> OAuth2Session:
    """Return a session with a client's credentials."""
    made = OAuth2Session(
        client["client_id"],
        client.get("client_secret"),
        token_endpoint_auth_method=method,
        redirect_uri=CALLBACK,
        code_challenge_method="S256",
        token_endpoint=f"{HOST}/oauth/token",
    )
    made.mount(HOST, InProcess(oauth.forum.app))
    return made


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_password_refresh_introspection_revocation(oauth, method):
    app = session(oauth, oauth.app, method)
    first = app.fetch_token(username="ann", password=PASSWORD, grant_type="password")
    assert app.get(f"{HOST}/api/v3/hello").json() == {"current_user": "Ann"}
    second = app.refresh_token(f"{HOST}/oauth/token")
    assert second["access_token"] != first["access_token"]
    result = app.introspect_token(f"{HOST}/oauth/introspect", token=second["access_token"]).json()
    assert (result["active"], result["username"]) == (True, "Ann")
    hint = {"token": second["refresh_token"], "token_type_hint": "refresh_token"}
    assert app.revoke_token(f"{HOST}/oauth/revoke", **hint).status_code == 200
    assert not oauth.is_valid(second["access_token"])
    with pytest.raises(OAuthError, match="invalid_grant"):
        app.fetch_token(username="ann", password="wrong", grant_type="password")
    robot = session(oauth, oauth.client("robot", grants=("client_credentials",)), method)
    assert "refresh_token" not in robot.fetch_token(grant_type="client_credentials", scope="read")
    assert robot.get(f"{HOST}/api/v3/topics").status_code == 200


@pytest.mark.parametrize("client", ["app", "phone"])
def test_authorization_code_with_pkce(oauth, client):
    known = {"app": oauth.app, "phone": oauth.phone}[client]
    app = session(oauth, known, "client_secret_basic" if client == "app" else "none")
    verifier = generate_token(64)
    _, state = app.create_authorization_url(f"{HOST}/oauth/authorize", code_verifier=verifier)
    sent = oauth.authorize(known, state=state, code_challenge=challenge(verifier))
    with pytest.raises(OAuthError, match="invalid_grant"):
        app.fetch_token(authorization_response=sent.text, code_verifier=generate_token(64))
    app.fetch_token(authorization_response=sent.text, code_verifier=verifier)
    assert app.get(f"{HOST}/api/v3/hello").json() == {"current_user": "Ann"}
    app.refresh_token(f"{HOST}/oauth/token")
    assert app.get(f"{HOST}/api/v3/hello").status_code == 200
    with pytest.raises(OAuthError, match="invalid_grant"):
        app.fetch_token(authorization_response=sent.text, code_verifier=verifier)
