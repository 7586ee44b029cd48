"""Applications that members register: what they may not do, and that they end with their owner."""

from collections.abc import Callable

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from forumsvc.errors import Invalid
from forumsvc.models import OAuthClient
from forumsvc.oauth import clients, server
from forumsvc.oauth.authorization_endpoint import NonRedirectableError, RedirectableError
from forumsvc.services import accounts

from .world import CALLBACK, PASSWORD, World, credentials


@pytest.fixture
def boats(world: World) -> clients.NewClient:
    """An application that Bob registered, with every grant that it can have."""
    bob = world.user("bob")
    options = {"grants": clients.MEMBER_GRANTS, "redirect_uris": (CALLBACK,), "owner_id": bob}
    return world.client("boats", **options)


def test_a_members_application_cannot_be_registered_for_passwords(world: World) -> None:
    with pytest.raises(Invalid, match="'password' is none of"):
        world.client("boats", grants=("password", "refresh_token"), owner_id=world.ann)


def test_a_members_application_that_has_the_password_grant_cannot_use_it(
    world: World, boats: clients.NewClient
) -> None:
    with world.database.session.begin() as db:
        _grant_everything(db, boats.client_id)
    answer = world.token(boats, grant_type="password", username="ann", password=PASSWORD)
    assert (answer.status, answer.body["error"]) == (400, "unauthorized_client")


def _grant_everything(db: Session, client_id: str) -> None:
    statement = update(OAuthClient).where(OAuthClient.client_id == client_id)
    db.execute(statement.values(grants=" ".join(clients.GRANTS)))


@pytest.mark.parametrize("end", [accounts.block, accounts.delete])
def test_an_application_ends_with_its_owner(
    world: World, boats: clients.NewClient, end: Callable[[Session, str], accounts.Account]
) -> None:
    given = world.exchange(boats, world.code(boats)).body
    own = world.token(boats, grant_type="client_credentials").body
    code, asked = world.code(boats), world.ask(boats)
    with world.database.session.begin() as db:
        end(db, "bob")
    assert not world.alive(given["access_token"])
    assert not world.alive(own["access_token"])
    refresh = {"grant_type": "refresh_token", "refresh_token": given["refresh_token"]}
    for answer in (
        world.exchange(boats, code),
        world.token(boats, **refresh),
        world.token(boats, grant_type="client_credentials"),
        world.call(server.introspect, {**credentials(boats), "token": own["access_token"]}),
    ):
        assert (answer.status, answer.body["error"]) == (401, "invalid_client")
        assert "disabled" in answer.body["error_description"]
    with pytest.raises(NonRedirectableError, match="disabled"):
        world.ask(boats)
    with pytest.raises(RedirectableError, match="refused"):
        world.allow(asked)


def test_an_application_works_again_with_its_owner_and_tokens_do_not_return(
    world: World, boats: clients.NewClient
) -> None:
    given = world.exchange(boats, world.code(boats)).body
    code = world.code(boats)
    with world.database.session.begin() as db:
        accounts.block(db, "bob")
    with world.database.session.begin() as db:
        accounts.unblock(db, "bob")
    assert not world.alive(given["access_token"])
    assert world.exchange(boats, code).body["error"] == "invalid_grant"
    assert world.alive(world.exchange(boats, world.code(boats)).body["access_token"])


def test_an_administrators_client_outlives_a_blocked_user(world: World) -> None:
    given = world.log_in()
    with world.database.session.begin() as db:
        accounts.block(db, "ann")
    assert world.alive(given["access_token"])
