"""All flows with requests-oauthlib, the most common library of Python clients."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from oauthlib.oauth2 import (
    AccessDeniedError,
    BackendApplicationClient,
    InvalidGrantError,
    LegacyApplicationClient,
    WebApplicationClient,
)
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

from forumsvc.oauth.clients import NewClient

from .browser import Browser
from .service import CALLBACK, PASSWORD, Service

pytestmark = pytest.mark.usefixtures("plain_http")

Credentials = Callable[[NewClient], dict[str, object]]


def basic(client: NewClient) -> dict[str, object]:
    """Return the library's arguments for HTTP Basic."""
    return {"auth": HTTPBasicAuth(client.client_id, client.client_secret or "")}


def body(client: NewClient) -> dict[str, object]:
    """Return the library's arguments for credentials in the body."""
    return {"client_secret": client.client_secret, "include_client_id": True}


@pytest.mark.parametrize("credentials", [basic, body])
def test_password_and_refresh(forum: Service, credentials: Credentials) -> None:
    client = forum.client("requests-oauthlib")
    app = OAuth2Session(client=LegacyApplicationClient(client.client_id))
    endpoint = f"{forum.url}/oauth/token"
    first = app.fetch_token(endpoint, username="ann", password=PASSWORD, **credentials(client))
    assert app.get(f"{forum.url}/api/v3/hello").json() == {"current_user": "Ann"}
    proof = {"client_id": client.client_id, "client_secret": client.client_secret}
    second = app.refresh_token(endpoint, **proof)
    assert second["refresh_token"] != first["refresh_token"]
    assert app.get(f"{forum.url}/api/v3/hello").json() == {"current_user": "Ann"}


def test_a_token_that_has_expired_is_renewed_by_itself(forum: Service) -> None:
    client = forum.client("requests-oauthlib")
    given = forum.post(
        "token", grant_type="password", username="ann", password=PASSWORD, **client._asdict()
    ).json()
    kept: list[dict[str, object]] = []
    app = OAuth2Session(
        client.client_id,
        token={**given, "expires_in": -1, "expires_at": 1},
        auto_refresh_url=f"{forum.url}/oauth/token",
        auto_refresh_kwargs=client._asdict(),
        token_updater=kept.append,
    )
    assert app.get(f"{forum.url}/api/v3/hello").json() == {"current_user": "Ann"}
    assert kept[0]["access_token"] != given["access_token"]


def test_client_credentials(forum: Service) -> None:
    client = forum.client("requests-oauthlib robot", grants=("client_credentials",))
    app = OAuth2Session(client=BackendApplicationClient(client.client_id))
    given = app.fetch_token(f"{forum.url}/oauth/token", **basic(client))
    assert given["scope"] == ["read"]
    assert app.get(f"{forum.url}/api/v3/topics").status_code == 200


@pytest.mark.parametrize("public", [True, False])
def test_authorization_code_with_pkce(forum: Service, ann: Browser, public: bool) -> None:
    client = forum.client("requests-oauthlib", public=public)
    app = OAuth2Session(
        client=WebApplicationClient(client.client_id),
        redirect_uri=CALLBACK,
        scope=["read", "write"],
        pkce="S256",
    )
    address, _ = app.authorization_url(f"{forum.url}/oauth/authorize")
    location = ann.allow(address)
    assert parse_qs(urlsplit(location).query)["iss"] == [forum.url]
    proof = {"include_client_id": True} if public else basic(client)
    app.fetch_token(f"{forum.url}/oauth/token", authorization_response=location, **proof)
    assert app.get(f"{forum.url}/api/v3/hello").json() == {"current_user": "Ann"}
    with pytest.raises(InvalidGrantError):
        app.fetch_token(f"{forum.url}/oauth/token", authorization_response=location, **proof)


def test_a_refused_application_gets_an_error(forum: Service, ann: Browser) -> None:
    client = forum.client("requests-oauthlib")
    app = OAuth2Session(client.client_id, redirect_uri=CALLBACK, pkce="S256")
    address, _ = app.authorization_url(f"{forum.url}/oauth/authorize")
    with pytest.raises(AccessDeniedError):
        app.fetch_token(f"{forum.url}/oauth/token", authorization_response=ann.cancel(address))
