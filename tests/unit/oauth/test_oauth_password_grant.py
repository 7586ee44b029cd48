"""POST /oauth/token with a password (RFC 6749 §4.3)."""

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import event, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from forumsvc.models import OAuthToken, User
from forumsvc.oauth import resource_owners, server, tokens
from forumsvc.passwords import hash_password, needs_rehash

from .world import PASSWORD, Clock, World, basic, credentials


def test_the_answer_has_the_fields_of_the_rfc_and_created_at(world: World, time: Clock) -> None:
    answer = world.token(grant_type="password", username="ann", password=PASSWORD)
    assert answer.status == 200
    assert answer.headers == {"Cache-Control": "no-store", "Pragma": "no-cache"}
    given = answer.body
    assert len(given.pop("access_token")) == 43
    assert len(given.pop("refresh_token")) == 43
    assert given == {
        "token_type": "Bearer",
        "expires_in": 86400,
        "scope": "read write",
        "created_at": int(time.now().timestamp()),
    }


@pytest.mark.parametrize("username", ["ann", "ANN", "Ann", "ann@example.org", "ANN@EXAMPLE.ORG"])
def test_username_is_login_or_email_whatever_the_case(world: World, username: str) -> None:
    assert world.alive(world.log_in(username=username)["access_token"])


def test_the_token_stands_for_user_scope_and_client(time: Clock, world: World) -> None:
    given = world.log_in(scope="read")
    with world.database.reads.connect() as connection:
        row = tokens.find_by_access_token(connection, given["access_token"], time.now())
    assert row is not None
    assert (row.user_id, row.login, row.role, row.state) == (world.ann, "Ann", "member", "active")
    assert (row.scope, row.user_created_at) == ("read", time.now())
    assert isinstance(row.client_id, int)


@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("ann", "wrong"),
        ("nobody", PASSWORD),
        ("ann", PASSWORD + " "),
        ("änn", PASSWORD),
        ("ann", "p\u00e4ss\U0001f600"),
        ("a" * 8000, "b" * 8000),
        ("\N{KELVIN SIGN}im", PASSWORD),
    ],
)
def test_wrong_credentials_are_invalid_grant_and_tell_nothing_more(
    world: World, username: str, password: str
) -> None:
    world.user("kim")
    answer = world.token(grant_type="password", username=username, password=password)
    assert answer.status == 400
    assert answer.body == {
        "error": "invalid_grant",
        "error_description": "Invalid credentials given.",
    }


def test_an_unknown_user_costs_a_password_check_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str | None] = []

    def verify(stored: str | None, password: str) -> bool:
        checked.append(stored)
        return False

    monkeypatch.setattr(resource_owners, "verify_password", verify)
    for username in ("ann", "nobody"):
        world.token(grant_type="password", username=username, password="wrong")
    assert checked == [world.hash, None]


def test_a_blocked_user_may_log_in(world: World) -> None:
    world.change(world.ann, state="blocked")
    assert world.alive(world.log_in()["access_token"])


def test_a_deleted_user_cannot_log_in_and_his_tokens_are_dead(world: World) -> None:
    given = world.log_in()
    world.change(world.ann, state="deleted")
    assert not world.alive(given["access_token"])
    assert world.refresh(given["refresh_token"]).body["error"] == "invalid_grant"
    answer = world.token(grant_type="password", username="ann", password=PASSWORD)
    assert answer.body["error"] == "invalid_grant"


def test_a_user_without_a_password_cannot_log_in(world: World) -> None:
    world.change(world.ann, password_hash=None)
    answer = world.token(grant_type="password", username="ann", password=PASSWORD)
    assert answer.body["error"] == "invalid_grant"


def test_http_basic_proves_the_client(world: World) -> None:
    asked = {"grant_type": "password", "username": "ann", "password": PASSWORD}
    headers = basic(world.app.client_id, world.app.client_secret)
    assert world.call(server.token, asked, headers=headers).status == 200


def test_a_public_client_only_says_who_it_is(world: World) -> None:
    assert world.alive(world.log_in(world.phone)["access_token"])


def test_a_wrong_client_is_401_with_a_challenge(world: World) -> None:
    asked = {"grant_type": "password", "username": "ann", "password": PASSWORD}
    good, secret = world.app.client_id, world.app.client_secret
    phone = world.phone.client_id
    for wrong, headers in (
        ({}, {}),
        ({"client_id": good}, {}),
        ({"client_id": good, "client_secret": "wrong"}, {}),
        ({"client_id": good, "client_secret": "wr\u00f6ng"}, {}),
        ({"client_id": "unknown", "client_secret": secret or ""}, {}),
        ({"client_id": "unkn\u00f6wn"}, {}),
        ({"client_id": phone, "client_secret": "a public client has none"}, {}),
        ({}, basic(good, "wrong")),
        ({}, basic(good, "")),
        ({}, {"Authorization": "Basic !!!"}),
        ({}, {"Authorization": "Basic bm9jb2xvbg=="}),
        ({}, {"Authorization": "Basic /////w=="}),
        ({}, {"Authorization": "Basic"}),
        ({}, basic("%00", "x")),
    ):
        answer = world.call(server.token, {**asked, **wrong}, headers=headers)
        assert (answer.status, answer.body["error"]) == (401, "invalid_client"), (wrong, headers)
        assert answer.headers["WWW-Authenticate"].startswith("Basic ")
        assert answer.headers["Cache-Control"] == "no-store"
    assert world.count() == 0


def test_another_scheme_in_the_authorization_header_is_passed_over(world: World) -> None:
    asked = {"grant_type": "password", "username": "ann", "password": PASSWORD}
    answer = world.call(
        server.token,
        {**asked, **credentials(world.app)},
        headers={"Authorization": "Bearer something-old"},
    )
    assert answer.status == 200


def test_two_ways_of_client_authentication_at_once_are_refused(world: World) -> None:
    headers = basic(world.app.client_id, world.app.client_secret)
    answer = world.call(
        server.token, {"grant_type": "password", **credentials(world.app)}, headers=headers
    )
    assert (answer.status, answer.body["error"]) == (400, "invalid_request")


def test_a_client_that_may_not_use_the_grant_is_refused_before_the_password_is_checked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = world.client("other", grants=("authorization_code",))
    checked: list[Any] = []
    monkeypatch.setattr(resource_owners, "verify_password", lambda *given: checked.append(given))
    answer = world.token(other, grant_type="password", username="ann", password=PASSWORD)
    assert (answer.status, answer.body["error"]) == (400, "unauthorized_client")
    assert not checked


def test_a_client_without_the_refresh_grant_gets_no_refresh_token(world: World) -> None:
    other = world.client("other", grants=("password",))
    assert "refresh_token" not in world.log_in(other)


def test_scopes_are_the_clients_unless_it_asks_for_less(world: World) -> None:
    reader = world.client("reader", grants=("password",), scopes=("read",))
    assert world.log_in(reader)["scope"] == "read"
    assert world.log_in(scope="write read read")["scope"] == "read write"
    for scope in ("admin", "read admin", "READ", "read,write", "\u00e9"):
        answer = world.token(grant_type="password", username="ann", password=PASSWORD, scope=scope)
        assert (answer.status, answer.body["error"]) == (400, "invalid_scope"), scope
    answer = world.token(
        reader, grant_type="password", username="ann", password=PASSWORD, scope="write"
    )
    assert answer.body["error"] == "invalid_scope"


def test_missing_and_unknown_grants_and_parameters(world: World) -> None:
    assert world.token().body["error"] == "invalid_request"
    assert world.token(grant_type="").body["error"] == "invalid_request"
    for grant in ("implicit", "device_code", "urn:ietf:params:oauth:grant-type:device_code"):
        assert world.token(grant_type=grant).body["error"] == "unsupported_grant_type", grant
    for missing in ({"username": "ann"}, {"password": PASSWORD}, {"username": "", "password": "x"}):
        answer = world.token(None, grant_type="password", **missing)
        assert (answer.status, answer.body["error"]) == (400, "invalid_request")


def test_a_parameter_that_names_an_attribute_of_oauthlibs_is_not_taken_for_it(
    world: World,
) -> None:
    own = {"user": "1", "client": "1", "scopes": "admin", "extra_credentials": "x", "claims": "x"}
    asked = {"grant_type": "password", "username": "ann", "password": PASSWORD}
    given = world.call(server.token, {**credentials(world.app), **asked, **own}).body
    assert given["scope"] == "read write"


def test_an_old_hash_is_replaced_when_its_password_is_used(world: World) -> None:
    old = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    world.change(world.ann, password_hash=old)
    world.log_in()
    with world.database.reads.connect() as connection:
        stored = connection.execute(select(User.password_hash)).scalar_one()
    assert stored is not None
    assert stored is not None
    assert not needs_rehash(stored)
    assert world.alive(world.log_in()["access_token"])


def test_two_log_ins_at_once_with_an_old_hash_both_succeed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    world.change(world.ann, password_hash=old)
    together, verify = Barrier(2, timeout=30), resource_owners.verify_password

    def verify_together(stored: str | None, password: str) -> bool:
        matches = verify(stored, password)
        together.wait()
        return matches

    both_hold_the_user, rehash = Barrier(2), resource_owners.rehash

    def rehash_together(db: Session, owner: resource_owners.ResourceOwner) -> None:
        # Two that come here at once would each wait for the other to let go of the user.
        with suppress(BrokenBarrierError):
            both_hold_the_user.wait(0.5)
        rehash(db, owner)

    monkeypatch.setattr(resource_owners, "verify_password", verify_together)
    monkeypatch.setattr(resource_owners, "rehash", rehash_together)
    with ThreadPoolExecutor(2) as pool:
        given = list(pool.map(lambda _: world.log_in(), range(2)))
    assert all(world.alive(each["access_token"]) for each in given)
    with world.database.reads.connect() as connection:
        stored = connection.execute(select(User.password_hash)).scalar_one()
    assert stored is not None
    assert not needs_rehash(stored)


def test_a_password_changed_while_it_was_checked_gives_no_token(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verify(stored: str | None, password: str) -> bool:
        world.change(world.ann, password_hash=hash_password("another password"))
        return True

    monkeypatch.setattr(resource_owners, "verify_password", verify)
    answer = world.token(grant_type="password", username="ann", password=PASSWORD)
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")
    assert world.count() == 0


def test_the_password_is_checked_before_the_transaction_begins(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    def verify(stored: str | None, password: str) -> bool:
        order.append("checked")
        return True

    def begin(connection: Any) -> None:
        order.append("begun")

    monkeypatch.setattr(resource_owners, "verify_password", verify)
    event.listen(world.database.writes, "begin", begin)
    try:
        world.log_in()
    finally:
        event.remove(world.database.writes, "begin", begin)
    assert order == ["checked", "begun"]


def test_only_digests_reach_the_database(world: World) -> None:
    given = world.log_in()
    with world.database.reads.connect() as connection:
        stored = repr(connection.execute(select(OAuthToken.__table__)).all())
    assert tokens.hash_token(given["access_token"]) in stored
    assert given["access_token"] not in stored
    assert given["refresh_token"] not in stored


def test_oauthlib_logs_nothing_that_is_secret(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    given = world.log_in()
    world.refresh(given["refresh_token"])
    world.token(grant_type="password", username="ann", password="wrong secret")
    for secret in (*given.values(), PASSWORD, "wrong secret", world.app.client_secret):
        if isinstance(secret, str) and len(secret) > 10:
            assert secret not in caplog.text


def test_what_people_typed_is_in_no_error_of_the_database(world: World) -> None:
    with world.database.reads.connect() as connection, pytest.raises(DBAPIError) as failed:
        connection.execute(
            select(User.id).where(User.login == "a password typed there", text("no_such_column"))
        )
    assert "no_such_column" in str(failed.value)
    assert "typed there" not in str(failed.value)
