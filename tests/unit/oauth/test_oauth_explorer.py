"""The built-in client of the explorer: public, redirected only to this service."""

import pytest
from sqlalchemy import select

from forumsvc.models import OAuthClient
from forumsvc.oauth import clients, explorer
from forumsvc.oauth.authorization_endpoint import NonRedirectableError
from forumsvc.oauth.clients import NewClient
from tests.cases import each

from .oauth_fixture import ISSUER, OAuthFixture

HOME = ISSUER + explorer.REDIRECT_PATH


@pytest.fixture
def client(oauth: OAuthFixture) -> NewClient:
    """The explorer's client, registered twice as by two upgrades."""
    for _ in range(2):
        with oauth.database.session.begin() as db:
            explorer.register(db)
    return NewClient(explorer.CLIENT_ID, None)


def test_it_is_registered_once_and_updated(oauth: OAuthFixture, client: NewClient) -> None:
    with oauth.database.session.begin() as db:
        row = db.scalars(select(OAuthClient).where(OAuthClient.client_id == client.client_id)).one()
        row.redirect_uris = "https://elsewhere.example/"
    with oauth.database.session.begin() as db:
        explorer.register(db)
    with oauth.database.reads.connect() as connection:
        found = clients.find(connection, client.client_id)
    assert found is not None
    assert (found.public, found.redirect_uris) == (True, (explorer.REDIRECT_PATH,))


def test_it_uses_pkce_and_gets_no_refresh_token(oauth: OAuthFixture, client: NewClient) -> None:
    code = oauth.code(client, redirect_uri=HOME, scope="read write")
    answer = oauth.exchange(client, code, redirect_uri=HOME)
    assert answer.status == 200
    assert answer.body["scope"] == "read write"
    assert "refresh_token" not in answer.body


@each(
    "uri",
    [
        *(explorer.REDIRECT_PATH, f"{HOME}/", f"{HOME}?x=1"),
        f"https://forum.example:8443{explorer.REDIRECT_PATH}",
        f"http://forum.example{explorer.REDIRECT_PATH}",
        f"https://evil.example{explorer.REDIRECT_PATH}",
    ],
)
def test_its_code_is_never_redirected_elsewhere(
    oauth: OAuthFixture, client: NewClient, uri: str
) -> None:
    with pytest.raises(NonRedirectableError):
        oauth.authorization_request(client, redirect_uri=uri)
