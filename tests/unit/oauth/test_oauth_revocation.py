"""POST /oauth/revoke (RFC 7009), and sweeping away what has ended."""

from datetime import timedelta

from forumsvc.models import OAuthClient
from forumsvc.oauth import revocation, server, tokens
from forumsvc.oauth.messages import OAuthResponse

from .world import Clock, World, basic, credentials


def revoke(world: World, token: str, **parameters: str) -> OAuthResponse:
    """Revoke a token as the client that has a secret."""
    return world.call(server.revoke, {**credentials(world.app), "token": token, **parameters})


def test_a_revoked_access_token_is_dead_at_once(world: World) -> None:
    given = world.log_in()
    answer = revoke(world, given["access_token"])
    assert (answer.status, answer.body) == (200, {})
    assert answer.headers["Cache-Control"] == "no-store"
    assert not world.alive(given["access_token"])
    assert world.refresh(given["refresh_token"]).status == 400


def test_revoking_a_refresh_token_ends_its_family(world: World) -> None:
    first = world.log_in()
    second = world.refresh(first["refresh_token"]).body
    assert revoke(world, second["refresh_token"]).status == 200
    assert not world.alive(first["access_token"])
    assert not world.alive(second["access_token"])
    assert world.refresh(second["refresh_token"]).status == 400


def test_an_unknown_token_and_a_wrong_hint_are_no_error(world: World) -> None:
    given = world.log_in()
    assert revoke(world, "unknown").status == 200
    assert revoke(world, given["access_token"], token_type_hint="refresh_token").status == 200
    assert not world.alive(given["access_token"])
    assert revoke(world, given["access_token"], token_type_hint="nonsense").status == 200


def test_another_clients_token_is_not_revoked(world: World) -> None:
    given = world.log_in(world.phone)
    answer = revoke(world, given["access_token"])
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")
    assert world.alive(given["access_token"])


def test_the_client_must_prove_itself(world: World) -> None:
    given = world.log_in()
    for wrong in (
        {},
        {"client_id": world.app.client_id},
        {"client_id": world.app.client_id, "client_secret": "x"},
    ):
        answer = world.call(server.revoke, {**wrong, "token": given["access_token"]})
        assert (answer.status, answer.body["error"]) == (401, "invalid_client")
        assert "WWW-Authenticate" in answer.headers
    assert world.alive(given["access_token"])


def test_a_public_client_revokes_its_own(world: World) -> None:
    given = world.log_in(world.phone)
    asked = {**credentials(world.phone), "token": given["access_token"]}
    assert world.call(server.revoke, asked).status == 200
    assert not world.alive(given["access_token"])


def test_http_basic_works_and_a_missing_token_is_an_invalid_request(world: World) -> None:
    headers = basic(world.app.client_id, world.app.client_secret)
    answer = world.call(server.revoke, {}, headers=headers)
    assert (answer.status, answer.body["error"]) == (400, "invalid_request")
    given = world.log_in()
    asked = {"token": given["access_token"]}
    assert world.call(server.revoke, asked, headers=headers).status == 200
    assert not world.alive(given["access_token"])


def test_what_a_user_allowed_a_client_can_be_ended_alone(world: World, time: Clock) -> None:
    bob = world.user("bob")
    given, other = world.log_in(), world.log_in(username="bob")
    elsewhere = world.log_in(world.phone, username="bob")
    with world.database.session.begin() as db:
        row = tokens.find_by_any_token(db, other["access_token"])
        assert row is not None
        assert revocation.revoke_client_access(db, bob, row.client_id, time.now()) == 1
    assert not world.alive(other["access_token"])
    assert world.alive(given["access_token"])
    assert world.alive(elsewhere["access_token"])


def test_purge_removes_what_has_expired_or_ended_and_nothing_else(
    world: World, time: Clock
) -> None:
    def purge() -> int:
        with world.database.session.begin() as db:
            return tokens.purge(db)

    ended, kept = world.log_in(), world.log_in()
    no_refresh = world.log_in(world.client("short", grants=("password",)))
    assert purge() == 0
    revoke(world, ended["access_token"])
    assert purge() == 1
    time.advance(days=2)
    assert purge() == 1, "the one that had no refresh token"
    assert not world.alive(no_refresh["access_token"])
    newer = world.refresh(kept["refresh_token"]).body
    assert purge() == 0, "a used refresh token must be known until it would have expired"
    assert world.refresh(kept["refresh_token"]).commit
    assert not world.alive(newer["access_token"])
    assert purge() == 2
    world.log_in()
    time.advance(days=30)
    assert purge() == 1
    assert world.count() == 0


def test_the_command_lines_client_is_one_and_nobody_can_be_it(world: World, time: Clock) -> None:
    with world.database.session.begin() as db:
        row = tokens.get_or_create_builtin_client(db)
        assert tokens.get_or_create_builtin_client(db) == row
        given = tokens.issue(
            db,
            client_id=row,
            user_id=world.ann,
            scope="read",
            access_ttl=60,
            refresh_ttl=None,
        )
    assert given.refresh_token is None
    assert (given.expires_in, given.scope) == (60, "read")
    assert world.count(OAuthClient) == 3
    assert world.alive(given.access_token)
    time.advance(seconds=60)
    assert not world.alive(given.access_token)
    for secret in ({}, {"client_secret": "x"}):
        asked = {"client_id": tokens.BUILTIN_CLIENT, "token": "x", **secret}
        assert world.call(server.revoke, asked).status == 401


def test_a_token_can_be_found_on_either_kind_of_connection(world: World, time: Clock) -> None:
    token = world.log_in()["access_token"]
    later = time.now() + timedelta(seconds=1)
    with world.database.reads.connect() as connection:
        on_connection = tokens.find_by_access_token(connection, token, later)
    with world.database.session() as db:
        assert tokens.find_by_access_token(db, token, later) == on_connection
