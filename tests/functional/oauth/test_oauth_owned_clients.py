"""Clients that members register depend on their owner; that of the explorer on nobody."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select, update

from forumsvc.models import OAuthClient
from forumsvc.oauth import clients, explorer
from forumsvc.services.accounts import accounts
from forumsvc.services.moderation import restrictions
from tests.cases import each

from .provider import CALLBACK, Client, OAuth


def change(oauth: OAuth, act: Callable[..., Any], *what: Any) -> None:
    """Run a service in a transaction."""
    with oauth.forum.database.session.begin() as db:
        act(db, *what)


@pytest.fixture
def boats(oauth: OAuth) -> Client:
    """A client that Bob registered, with every grant type that it can have."""
    bob = oauth.user("bob")
    return oauth.client("boats", grants=clients.MEMBER_GRANTS, owner_id=bob)


def test_a_members_application_that_has_the_password_grant_cannot_use_it(oauth, boats):
    row = update(OAuthClient).where(OAuthClient.client_id == boats["client_id"])
    change(oauth, lambda db: db.execute(row.values(grants=" ".join(clients.GRANTS))))
    assert oauth.password(boats).json["error"] == "unauthorized_client"


@pytest.mark.parametrize("end", [restrictions.silence_without_reason, accounts.delete])
def test_a_client_is_disabled_with_its_owner(oauth, boats, end):
    issued = oauth.exchange(boats, oauth.code(boats)).json
    own = oauth.call("token", **boats, grant_type="client_credentials").json
    code = oauth.code(boats)
    change(oauth, end, "bob")
    assert not oauth.is_valid(issued["access_token"])
    assert not oauth.is_valid(own["access_token"])
    for answer in (
        oauth.exchange(boats, code),
        oauth.refresh(issued["refresh_token"], boats),
        oauth.call("token", **boats, grant_type="client_credentials"),
        oauth.call("introspect", **boats, token=own["access_token"]),
    ):
        assert (answer.status_int, answer.json["error"]) == (401, "invalid_client")
        assert "disabled" in answer.json["error_description"]
    page = oauth.authorize(boats)
    assert (page.status_int, "disabled" in page.text) == (400, True)


def test_a_client_works_again_with_its_owner_but_its_tokens_stay_revoked(oauth, boats):
    issued = oauth.exchange(boats, oauth.code(boats)).json
    code = oauth.code(boats)
    change(oauth, restrictions.silence_without_reason, "bob")
    change(oauth, restrictions.end_silence_by_login, "bob")
    assert not oauth.is_valid(issued["access_token"])
    assert oauth.exchange(boats, code).json["error"] == "invalid_grant"
    assert oauth.is_valid(oauth.exchange(boats, oauth.code(boats)).json["access_token"])


def test_an_administrators_client_is_independent_of_a_blocked_user(oauth):
    issued = oauth.log_in()
    change(oauth, restrictions.silence_without_reason, "ann")
    assert oauth.is_valid(issued["access_token"])


HOME = f"http://localhost{explorer.REDIRECT_PATH}"


@pytest.fixture
def explored(oauth: OAuth) -> Client:
    """The explorer's client, registered by two upgrades; the second repairs its row."""
    change(oauth, explorer.register)
    wrong = update(OAuthClient).where(OAuthClient.client_id == explorer.CLIENT_ID)
    change(oauth, lambda db: db.execute(wrong.values(redirect_uris="https://elsewhere.example/")))
    change(oauth, explorer.register)
    return {"client_id": explorer.CLIENT_ID}


def test_the_explorer_uses_pkce_and_gets_no_refresh_token(oauth, explored):
    with oauth.forum.database.reads.connect() as connection:
        [uris] = connection.scalars(
            select(OAuthClient.redirect_uris).where(OAuthClient.client_id == explorer.CLIENT_ID)
        )
    assert uris == explorer.REDIRECT_PATH
    code = oauth.code(explored, redirect_uri=HOME, scope="read write")
    issued = oauth.exchange(explored, code, redirect_uri=HOME).json
    assert (issued["scope"], "refresh_token" in issued) == ("read write", False)


@each(
    "uri",
    [
        *(explorer.REDIRECT_PATH, f"{HOME}/", f"{HOME}?x=1", CALLBACK),
        f"http://localhost:8443{explorer.REDIRECT_PATH}",
        f"https://localhost{explorer.REDIRECT_PATH}",
        f"http://evil.example{explorer.REDIRECT_PATH}",
    ],
)
def test_the_code_of_the_explorer_is_never_redirected_elsewhere(oauth, explored, uri):
    assert oauth.authorize(explored, redirect_uri=uri).status_int == 400
