"""Password guesses are throttled (RFC 6749 §4.3.2, §10.10) without locking other users out."""

import pytest
from sqlalchemy import select

from forumsvc.models import LoginAddress, LoginFailure, LoginSuccess
from forumsvc.oauth import server
from forumsvc.oauth.messages import OAuthResponse
from forumsvc.sessions import throttle, users
from tests.cases import each

from .oauth_fixture import PASSWORD, OAuthFixture, credentials

HOME = "192.0.2.1"
WRONG = "wrong"


def guess(
    oauth: OAuthFixture, username: str = "ann", password: str = WRONG, address: str = HOME
) -> OAuthResponse:
    """Try a password from an address."""
    form = {"grant_type": "password", "username": username, "password": password}
    return oauth.call(server.token, {**credentials(oauth.app), **form}, address=address)


def fail(oauth: OAuthFixture, times: int, username: str = "ann", address: str = HOME) -> None:
    """Make wrong guesses, none of which is throttled."""
    for _ in range(times):
        assert guess(oauth, username, address=address).status == 400


def test_after_ten_failures_the_eleventh_attempt_must_wait(oauth: OAuthFixture) -> None:
    fail(oauth, 10)
    answer = guess(oauth, password=PASSWORD)
    assert answer.status == 429
    assert answer.headers["Retry-After"] == "60"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.body["error"] == "temporarily_unavailable"
    oauth.time.advance(seconds=59)
    assert guess(oauth, password=PASSWORD).headers["Retry-After"] == "1"
    oauth.time.advance(seconds=1)
    assert guess(oauth, password=PASSWORD).status == 200


def test_each_further_failure_doubles_the_delay(oauth: OAuthFixture) -> None:
    fail(oauth, 10)
    waits = []
    for _ in range(3):
        waits.append(int(guess(oauth).headers["Retry-After"]))
        oauth.time.advance(seconds=waits[-1])
        fail(oauth, 1)
    assert waits == [60, 120, 240]


def test_a_throttled_attempt_does_not_count(oauth: OAuthFixture) -> None:
    fail(oauth, 10)
    for _ in range(5):
        assert guess(oauth).headers["Retry-After"] == "60"
    assert oauth.count(LoginFailure) == 10


@each("password", [PASSWORD, WRONG])
def test_a_guess_checked_while_others_reach_the_limit_learns_nothing(
    oauth: OAuthFixture, monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    verify = users.verify_password

    def verify_slowly(stored: str | None, password: str) -> bool:
        matches = verify(stored, password)
        monkeypatch.setattr(users, "verify_password", verify)
        fail(oauth, 10)
        return matches

    monkeypatch.setattr(users, "verify_password", verify_slowly)
    answer = guess(oauth, password=password)
    assert (answer.status, answer.headers["Retry-After"]) == (429, "60")
    assert oauth.count() == 0
    assert oauth.count(LoginFailure) == 10


def test_failures_count_for_a_quarter_of_an_hour(oauth: OAuthFixture) -> None:
    fail(oauth, 9)
    oauth.time.advance(seconds=900)
    fail(oauth, 9)
    assert oauth.count(LoginFailure) == 9, "those that count no longer are forgotten"
    assert guess(oauth, password=PASSWORD).status == 200


def test_a_login_clears_the_users_own_failures(oauth: OAuthFixture) -> None:
    fail(oauth, 9)
    assert guess(oauth, password=PASSWORD).status == 200
    fail(oauth, 9)
    assert guess(oauth, password=PASSWORD).status == 200


@each("name", ["ann", "ann@example.org"])
def test_a_name_is_one_account_in_any_case(oauth: OAuthFixture, name: str) -> None:
    fail(oauth, 5, name)
    fail(oauth, 5, name.upper())
    assert guess(oauth, name).status == 429


def test_the_wait_for_a_login_does_not_tell_which_address_belongs_to_it(
    oauth: OAuthFixture,
) -> None:
    fail(oauth, 10, "ann")
    statuses = {guess(oauth, f"{name}@example.org").status for name in ("ann", "nobody")}
    assert statuses == {400}


def test_an_unknown_user_gets_the_same_response_as_a_known_one(oauth: OAuthFixture) -> None:
    for username in ("ann", "nobody"):
        answers = [guess(oauth, username) for _ in range(11)]
        assert {answer.body["error"] for answer in answers[:10]} == {"invalid_grant"}
        assert answers[10].status == 429
        assert answers[10].headers["Retry-After"] == "60"


def test_another_account_and_another_address_are_not_throttled(oauth: OAuthFixture) -> None:
    oauth.user("bob")
    fail(oauth, 10)
    assert guess(oauth, "bob", PASSWORD).status == 200
    assert guess(oauth, password=PASSWORD, address="192.0.2.2").status == 200


def test_a_stranger_cannot_lock_a_user_out_of_a_known_address(oauth: OAuthFixture) -> None:
    assert guess(oauth, password=PASSWORD).status == 200
    for number in range(20):
        fail(oauth, 5, address=f"198.51.100.{number}")
    assert guess(oauth, password=PASSWORD, address="203.0.113.1").status == 429
    assert guess(oauth, password=PASSWORD).status == 200


def test_a_hundred_failures_from_an_address_throttle_it_for_unknown_accounts(
    oauth: OAuthFixture,
) -> None:
    bob = oauth.user("bob")
    assert guess(oauth, "bob", PASSWORD).status == 200
    for number in range(20):
        fail(oauth, 5, f"user{number}")
    assert guess(oauth, password=PASSWORD).status == 429
    assert guess(oauth, "bob", PASSWORD).status == 200, f"user {bob} has logged in from there"
    assert guess(oauth, password=PASSWORD, address="192.0.2.2").status == 200


def test_a_known_address_is_throttled_after_ten_failures_too(oauth: OAuthFixture) -> None:
    assert guess(oauth, password=PASSWORD).status == 200
    fail(oauth, 10)
    assert guess(oauth, password=PASSWORD).status == 429


@each(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("192.0.2.1", "192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::1", True),
        ("", "", True),
        ("unix", "unix", True),
    ],
)
def test_an_ipv6_address_counts_with_its_network(one: str, other: str, same: bool) -> None:
    keys = [
        throttle.attempt_key("secret", "ann", None, address).address for address in (one, other)
    ]
    assert (keys[0] == keys[1]) is same


def test_neither_what_was_typed_nor_the_address_is_stored(oauth: OAuthFixture) -> None:
    guess(oauth, "my password by mistake")
    guess(oauth, password=PASSWORD)
    with oauth.database.reads.connect() as connection:
        stored = repr(
            [
                connection.execute(select(table.__table__)).all()
                for table in (LoginFailure, LoginAddress)
            ]
        )
    assert "mistake" not in stored
    assert HOME not in stored


def test_a_known_address_expires(oauth: OAuthFixture) -> None:
    guess(oauth, password=PASSWORD)
    guess(oauth, password=PASSWORD, address="192.0.2.2")
    assert oauth.count(LoginAddress) == 2
    oauth.time.advance(days=100)
    guess(oauth, password=PASSWORD)
    assert oauth.count(LoginAddress) == 2
    oauth.time.advance(days=100)
    guess(oauth, password=PASSWORD)
    assert oauth.count(LoginAddress) == 1


def test_an_address_that_was_not_seen_for_long_is_an_unknown_one(oauth: OAuthFixture) -> None:
    assert guess(oauth, password=PASSWORD).status == 200
    oauth.time.advance(days=181)
    for number in range(20):
        fail(oauth, 5, address=f"198.51.100.{number}")
    assert guess(oauth, password=PASSWORD).status == 429


def log_in_often(oauth: OAuthFixture, times: int, address: str = "192.0.2.1") -> list[int]:
    """Return the statuses of a number of logins with the right password."""
    return [guess(oauth, password=PASSWORD, address=address).status for _ in range(times)]


def test_right_passwords_of_a_user_are_counted_too(oauth: OAuthFixture) -> None:
    oauth.settings["accounts.logins_per_user"] = 3
    assert log_in_often(oauth, 2) == [200, 200]
    oauth.time.advance(seconds=100)
    assert log_in_often(oauth, 1, "198.51.100.7") == [200]
    refused = guess(oauth, password=PASSWORD, address="203.0.113.1")
    assert (refused.status, refused.headers["Retry-After"]) == (429, "800")
    assert refused.body == {
        "error": "temporarily_unavailable",
        "error_description": "Too many logins. Try again in 800 seconds.",
    }
    assert guess(oauth).status == 429, "a wrong password is not even checked"
    assert oauth.count() == 3
    oauth.user("bob")
    assert guess(oauth, "bob", password=PASSWORD).status == 200
    oauth.time.advance(seconds=800)
    assert log_in_often(oauth, 3) == [200, 200, 429]


def test_right_passwords_from_an_address_are_counted_too(oauth: OAuthFixture) -> None:
    oauth.settings["accounts.logins_per_address"] = 3
    for name in ("bob", "cid", "dan"):
        oauth.user(name)
    statuses = [guess(oauth, name, password=PASSWORD).status for name in ("ann", "bob", "cid")]
    assert statuses == [200] * 3
    refused = guess(oauth, "dan", password=PASSWORD)
    assert (refused.status, refused.headers["Retry-After"]) == (429, "900")
    assert guess(oauth, "dan", password=PASSWORD, address="198.51.100.7").status == 200


def test_counted_logins_are_deleted_after_a_day(oauth: OAuthFixture) -> None:
    log_in_often(oauth, 3)
    oauth.time.advance(days=1)
    log_in_often(oauth, 1)
    assert oauth.count(LoginSuccess) == 1
