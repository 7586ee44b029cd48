"""POST /oauth/token with a password (RFC 6749 §4.3)."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from sqlalchemy import event, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from forumsvc import passwords
from forumsvc.models import OAuthToken, User
from forumsvc.oauth import server, tokens
from forumsvc.passwords import hash_password, needs_rehash
from forumsvc.sessions import users
from forumsvc.unicode_forms import opaque_string
from tests.cases import each

from .oauth_fixture import PASSWORD, OAuthFixture, basic, credentials


def test_the_response_has_the_fields_of_the_rfc_and_created_at(oauth: OAuthFixture) -> None:
    answer = oauth.try_password()
    assert answer.status == 200
    assert answer.headers == {"Cache-Control": "no-store", "Pragma": "no-cache"}
    issued = answer.body
    assert len(issued.pop("access_token")) == 43
    assert len(issued.pop("refresh_token")) == 43
    assert issued == {
        "token_type": "Bearer",
        "expires_in": 86400,
        "scope": "read write",
        "created_at": int(oauth.time.now().timestamp()),
    }


@each("username", ["ann", "ANN", "Ann", "ann@example.org", "ANN@EXAMPLE.ORG"])
def test_the_username_is_login_or_email_in_any_case(oauth: OAuthFixture, username: str) -> None:
    assert oauth.is_valid(oauth.log_in(username=username)["access_token"])


def test_wrong_credentials_are_invalid_grant_without_details(oauth: OAuthFixture) -> None:
    oauth.user("kim")
    wrong = [("ann", "wrong"), ("nobody", PASSWORD), ("ann", PASSWORD + " ")]
    for username, password in [*wrong, ("\N{KELVIN SIGN}im", PASSWORD)]:
        answer = oauth.try_password(username=username, password=password)
        assert (answer.status, answer.body) == (
            400,
            {"error": "invalid_grant", "error_description": "Invalid credentials given."},
        )


def test_an_unknown_user_takes_a_password_check_too(
    oauth: OAuthFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str | None] = []

    def verify(stored: str | None, password: str) -> bool:
        checked.append(stored)
        return False

    monkeypatch.setattr(users, "verify_password", verify)
    for username in ("ann", "nobody"):
        oauth.try_password(username=username, password="wrong")
    assert checked == [oauth.hash, None]


def test_a_deleted_user_cannot_log_in_and_has_no_valid_tokens(oauth: OAuthFixture) -> None:
    issued = oauth.log_in()
    oauth.change(oauth.ann, state="deleted")
    assert not oauth.is_valid(issued["access_token"])
    assert oauth.refresh(issued["refresh_token"]).body["error"] == "invalid_grant"
    answer = oauth.try_password()
    assert answer.body["error"] == "invalid_grant"


def test_a_wrong_client_is_401_with_a_challenge(oauth: OAuthFixture) -> None:
    form = {"grant_type": "password", "username": "ann", "password": PASSWORD}
    good, secret = oauth.app.client_id, oauth.app.client_secret
    phone = oauth.phone.client_id
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
        answer = oauth.call(server.token, {**form, **wrong}, headers=headers)
        assert (answer.status, answer.body["error"]) == (401, "invalid_client"), (wrong, headers)
        assert answer.headers["WWW-Authenticate"].startswith("Basic ")
        assert answer.headers["Cache-Control"] == "no-store"
    assert oauth.count() == 0


def test_another_scheme_in_the_authorization_header_is_ignored(oauth: OAuthFixture) -> None:
    form = {"grant_type": "password", "username": "ann", "password": PASSWORD}
    headers = {"Authorization": "Bearer something-old"}
    assert (
        oauth.call(server.token, {**form, **credentials(oauth.app)}, headers=headers).status == 200
    )


def test_two_methods_of_client_authentication_are_rejected(oauth: OAuthFixture) -> None:
    headers = basic(oauth.app.client_id, oauth.app.client_secret)
    answer = oauth.call(
        server.token, {"grant_type": "password", **credentials(oauth.app)}, headers=headers
    )
    assert (answer.status, answer.body["error"]) == (400, "invalid_request")


def test_the_grant_type_is_checked_before_the_password(
    oauth: OAuthFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = oauth.client("other", grants=("authorization_code",))
    checked: list[Any] = []
    monkeypatch.setattr(users, "verify_password", lambda *args: checked.append(args))
    answer = oauth.try_password(other)
    assert (answer.status, answer.body["error"]) == (400, "unauthorized_client")
    assert not checked


def test_scopes_are_the_clients_unless_it_requests_fewer(oauth: OAuthFixture) -> None:
    reader = oauth.client("reader", grants=("password",), scopes=("read",))
    assert oauth.log_in(reader)["scope"] == "read"
    assert oauth.log_in(scope="write read read")["scope"] == "read write"
    for scope in ("admin", "read admin", "READ", "read,write", "\u00e9"):
        answer = oauth.try_password(scope=scope)
        assert (answer.status, answer.body["error"]) == (400, "invalid_scope"), scope
    assert oauth.try_password(reader, scope="write").body["error"] == "invalid_scope"


def test_a_scope_that_the_client_has_not_costs_no_hash(
    oauth: OAuthFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[object] = []
    monkeypatch.setattr(users, "verify_password", lambda *args: checked.append(args))
    assert oauth.try_password(scope="admin").body["error"] == "invalid_scope"
    assert checked == []


def test_missing_and_unknown_grants_and_parameters(oauth: OAuthFixture) -> None:
    assert oauth.token().body["error"] == "invalid_request"
    assert oauth.token(grant_type="").body["error"] == "invalid_request"
    for grant in ("implicit", "device_code", "urn:ietf:params:oauth:grant-type:device_code"):
        assert oauth.token(grant_type=grant).body["error"] == "unsupported_grant_type", grant
    for missing in ({"username": "ann"}, {"password": PASSWORD}, {"username": "", "password": "x"}):
        answer = oauth.token(None, grant_type="password", **missing)
        assert (answer.status, answer.body["error"]) == (400, "invalid_request")


def test_a_parameter_named_like_an_attribute_of_oauthlib_is_ignored(oauth: OAuthFixture) -> None:
    own = {"user": "1", "client": "1", "scopes": "admin", "extra_credentials": "x", "claims": "x"}
    assert oauth.log_in(**own)["scope"] == "read write"


def test_two_concurrent_logins_with_an_old_hash_both_succeed(
    oauth: OAuthFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash(PASSWORD)
    oauth.change(oauth.ann, password_hash=old)
    together, verify = Barrier(2, timeout=30), users.verify_password

    def verify_together(stored: str | None, password: str) -> bool:
        matches = verify(stored, password)
        together.wait()
        return matches

    both_hold_the_user, rehash = Barrier(2), users.rehash

    def rehash_together(db: Session, owner: users.LoginUser) -> None:
        # Two concurrent logins would deadlock here if both held a shared lock on the user.
        with suppress(BrokenBarrierError):
            both_hold_the_user.wait(0.5)
        rehash(db, owner)

    monkeypatch.setattr(users, "verify_password", verify_together)
    monkeypatch.setattr(users, "rehash", rehash_together)
    with ThreadPoolExecutor(2) as pool:
        issued = list(pool.map(lambda _: oauth.log_in(), range(2)))
    assert all(oauth.is_valid(each["access_token"]) for each in issued)
    with oauth.database.reads.connect() as connection:
        stored = connection.execute(select(User.password_hash)).scalar_one()
    assert stored is not None
    assert not needs_rehash(stored, PASSWORD)


NFC, NFD = "pässwört-lang", "pa\u0308sswo\u0308rt-lang"


@each(("new", "typed"), [(NFC, NFD), (NFD, NFC), ("a b c d e f", "a\u00a0b\u3000c d e\u2003f")])
def test_a_password_may_be_typed_on_another_keyboard(
    oauth: OAuthFixture, new: str, typed: str
) -> None:
    oauth.change(oauth.ann, password_hash=hash_password(new))
    for password in (new, typed):
        assert oauth.is_valid(oauth.log_in(password=password)["access_token"])
    for other in (typed.upper(), typed.replace("-", "－").replace("b", "ｂ"), f"{typed} "):
        assert oauth.try_password(password=other).body["error"] == "invalid_grant"


@each("typed", [NFD, "with\u00a0a blank", "a line\r\nbreak", "a\u0085control\u3000one"])
def test_a_hash_of_a_password_as_it_was_typed_goes_on_and_is_replaced_at_the_log_in(
    oauth: OAuthFixture, typed: str
) -> None:
    oauth.change(oauth.ann, password_hash=passwords._hasher.hash(typed.encode()))
    for _ in range(2):
        assert oauth.is_valid(oauth.log_in(password=typed)["access_token"])
    with oauth.database.reads.connect() as connection:
        stored = connection.execute(select(User.password_hash)).scalar_one()
    assert stored is not None
    assert not needs_rehash(stored, typed)
    passwords._hasher.verify(stored, opaque_string(typed).encode())


@each("password", ["wrong", "wro\u0308ng", "wröng"])
def test_an_unknown_user_takes_as_many_hashes_as_a_known_one(
    oauth: OAuthFixture, monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    hashes: list[str] = []

    class Counted:
        def verify(self, stored: str, text: bytes) -> bool:
            hashes.append(stored)
            raise VerificationError

    monkeypatch.setattr(passwords, "_hasher", Counted())
    counts = []
    for username in ("ann", "nobody"):
        hashes.clear()
        oauth.try_password(username=username, password=password)
        counts.append(len(hashes))
    assert counts[0] == counts[1] == (1 if opaque_string(password) == password else 2)


def test_a_password_changed_during_the_check_issues_no_token(
    oauth: OAuthFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verify(stored: str | None, password: str) -> bool:
        oauth.change(oauth.ann, password_hash=hash_password("another password"))
        return True

    monkeypatch.setattr(users, "verify_password", verify)
    answer = oauth.try_password()
    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")
    assert oauth.count() == 0


def test_the_password_is_checked_before_the_transaction_begins(
    oauth: OAuthFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    def verify(stored: str | None, password: str) -> bool:
        order.append("checked")
        return True

    def begin(connection: Any) -> None:
        order.append("begun")

    monkeypatch.setattr(users, "verify_password", verify)
    event.listen(oauth.database.writes, "begin", begin)
    try:
        oauth.log_in()
    finally:
        event.remove(oauth.database.writes, "begin", begin)
    assert order == ["checked", "begun"]


def test_only_hashes_are_stored(oauth: OAuthFixture) -> None:
    issued = oauth.log_in()
    with oauth.database.reads.connect() as connection:
        stored = repr(connection.execute(select(OAuthToken.__table__)).all())
    assert tokens.hash_token(issued["access_token"]) in stored
    assert issued["access_token"] not in stored
    assert issued["refresh_token"] not in stored


def test_database_errors_contain_no_user_input(oauth: OAuthFixture) -> None:
    with oauth.database.reads.connect() as connection, pytest.raises(DBAPIError) as failed:
        connection.execute(
            select(User.id).where(User.login == "a password typed there", text("no_such_column"))
        )
    assert "no_such_column" in str(failed.value)
    assert "typed there" not in str(failed.value)
