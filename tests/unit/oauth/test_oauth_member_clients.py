"""Clients that members register: their limits, and their dependency on the owner."""

from collections.abc import Callable

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from forumsvc.errors import Invalid
from forumsvc.models import OAuthClient
from forumsvc.oauth import clients, server
from forumsvc.oauth.authorization_endpoint import NonRedirectableError, RedirectableError
from forumsvc.services import accounts
from forumsvc.services.moderation import restrictions

from .oauth_fixture import CALLBACK, OAuthFixture, credentials


@pytest.fixture
def boats(oauth: OAuthFixture) -> clients.NewClient:
    """A client that Bob registered, with every grant type that it can have."""
    bob = oauth.user("bob")
    options = {"grants": clients.MEMBER_GRANTS, "redirect_uris": (CALLBACK,), "owner_id": bob}
    return oauth.client("boats", **options)


def test_a_members_client_cannot_be_registered_for_the_password_grant(oauth: OAuthFixture) -> None:
    with pytest.raises(Invalid, match="'password' is none of"):
        oauth.client("boats", grants=("password", "refresh_token"), owner_id=oauth.ann)


def test_a_members_application_that_has_the_password_grant_cannot_use_it(
    oauth: OAuthFixture, boats: clients.NewClient
) -> None:
    with oauth.database.session.begin() as db:
        _grant_everything(db, boats.client_id)
    answer = oauth.try_password(boats)
    assert (answer.status, answer.body["error"]) == (400, "unauthorized_client")


def _grant_everything(db: Session, client_id: str) -> None:
    statement = update(OAuthClient).where(OAuthClient.client_id == client_id)
    db.execute(statement.values(grants=" ".join(clients.GRANTS)))


@pytest.mark.parametrize("end", [restrictions.silence_without_reason, accounts.delete])
def test_a_client_is_disabled_with_its_owner(
    oauth: OAuthFixture, boats: clients.NewClient, end: Callable[[Session, str], accounts.Account]
) -> None:
    issued = oauth.exchange(boats, oauth.code(boats)).body
    own = oauth.token(boats, grant_type="client_credentials").body
    code, request = oauth.code(boats), oauth.authorization_request(boats)
    with oauth.database.session.begin() as db:
        end(db, "bob")
    assert not oauth.is_valid(issued["access_token"])
    assert not oauth.is_valid(own["access_token"])
    refresh = {"grant_type": "refresh_token", "refresh_token": issued["refresh_token"]}
    for answer in (
        oauth.exchange(boats, code),
        oauth.token(boats, **refresh),
        oauth.token(boats, grant_type="client_credentials"),
        oauth.call(server.introspect, {**credentials(boats), "token": own["access_token"]}),
    ):
        assert (answer.status, answer.body["error"]) == (401, "invalid_client")
        assert "disabled" in answer.body["error_description"]
    with pytest.raises(NonRedirectableError, match="disabled"):
        oauth.authorization_request(boats)
    with pytest.raises(RedirectableError, match="refused"):
        oauth.approve(request)


def test_a_client_works_again_with_its_owner_but_its_tokens_stay_revoked(
    oauth: OAuthFixture, boats: clients.NewClient
) -> None:
    issued = oauth.exchange(boats, oauth.code(boats)).body
    code = oauth.code(boats)
    with oauth.database.session.begin() as db:
        restrictions.silence_without_reason(db, "bob")
    with oauth.database.session.begin() as db:
        restrictions.end_silence_by_login(db, "bob")
    assert not oauth.is_valid(issued["access_token"])
    assert oauth.exchange(boats, code).body["error"] == "invalid_grant"
    assert oauth.is_valid(oauth.exchange(boats, oauth.code(boats)).body["access_token"])


def test_an_administrators_client_is_independent_of_a_blocked_user(oauth: OAuthFixture) -> None:
    issued = oauth.log_in()
    with oauth.database.session.begin() as db:
        restrictions.silence_without_reason(db, "ann")
    assert oauth.is_valid(issued["access_token"])
