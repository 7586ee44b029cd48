"""Password guesses are throttled (RFC 6749 §4.3.2, §10.10) without locking other users out."""

from sqlalchemy import select
from webtest import TestResponse

from forumsvc.models import LoginAddress, LoginFailure, LoginSuccess
from forumsvc.sessions import throttle, users
from tests.cases import each

from .application import PASSWORD
from .provider import HOME, OAuth

WRONG = "wrong"


def guess(
    oauth: OAuth, username: str = "ann", password: str = WRONG, address: str = HOME
) -> TestResponse:
    return oauth.password(username=username, password=password, address=address)


def log_in(oauth: OAuth, username: str = "ann", address: str = HOME) -> int:
    """Return the status for the right password."""
    return guess(oauth, username, PASSWORD, address).status_int


def fail(oauth: OAuth, times: int, username: str = "ann", address: str = HOME) -> None:
    """Make wrong guesses, none of which is throttled."""
    for _ in range(times):
        assert guess(oauth, username, address=address).status_int == 400


def fail_from_many(oauth: OAuth) -> None:
    """Make a hundred wrong guesses, five from an address."""
    for number in range(20):
        fail(oauth, 5, address=f"198.51.100.{number}")


def test_after_ten_failures_the_eleventh_attempt_must_wait_and_does_not_count(oauth):
    oauth.user("bob")
    fail(oauth, 10)
    for _ in range(5):
        answer = guess(oauth, password=PASSWORD)
        assert (answer.status_int, answer.headers["Retry-After"]) == (429, "60")
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.json["error"] == "temporarily_unavailable"
    assert oauth.count(LoginFailure) == 10
    assert (log_in(oauth, "bob"), log_in(oauth, address="192.0.2.2")) == (200, 200)
    oauth.time.advance(seconds=59)
    assert guess(oauth, password=PASSWORD).headers["Retry-After"] == "1"
    oauth.time.advance(seconds=1)
    assert log_in(oauth) == 200


def test_each_further_failure_doubles_the_delay(oauth):
    fail(oauth, 10)
    waits = []
    for _ in range(3):
        waits.append(int(guess(oauth).headers["Retry-After"]))
        oauth.time.advance(seconds=waits[-1])
        fail(oauth, 1)
    assert waits == [60, 120, 240]


@each("password", [PASSWORD, WRONG])
def test_a_guess_checked_while_others_reach_the_limit_learns_nothing(oauth, monkeypatch, password):
    verify = users.verify_password

    def verify_slowly(stored: str | None, password: str) -> bool:
        matches = verify(stored, password)
        monkeypatch.setattr(users, "verify_password", verify)
        fail(oauth, 10)
        return matches

    monkeypatch.setattr(users, "verify_password", verify_slowly)
    answer = guess(oauth, password=password)
    assert (answer.status_int, answer.headers["Retry-After"]) == (429, "60")
    assert (oauth.count(), oauth.count(LoginFailure)) == (0, 10)


def test_failures_count_for_a_quarter_of_an_hour_or_until_a_log_in(oauth):
    fail(oauth, 9)
    oauth.time.advance(seconds=900)
    fail(oauth, 9)
    assert oauth.count(LoginFailure) == 9, "those that count no longer are forgotten"
    assert log_in(oauth) == 200
    fail(oauth, 9)
    assert log_in(oauth) == 200


@each("name", ["ann", "ann@example.org"])
def test_a_name_is_one_account_in_any_case(oauth, name):
    fail(oauth, 5, name)
    fail(oauth, 5, name.upper())
    assert guess(oauth, name).status_int == 429


def test_neither_a_wait_nor_an_answer_tells_who_there_is(oauth):
    for username in ("ann", "nobody"):
        answers = [guess(oauth, username) for _ in range(11)]
        assert {answer.json["error"] for answer in answers[:10]} == {"invalid_grant"}
        assert (answers[10].status_int, answers[10].headers["Retry-After"]) == (429, "60")
    statuses = {guess(oauth, f"{name}@example.org").status_int for name in ("ann", "nobody")}
    assert statuses == {400}, "which address belongs to the login"


def test_a_stranger_cannot_lock_a_user_out_of_a_known_address_but_ten_failures_from_there_do(oauth):
    assert log_in(oauth) == 200
    fail_from_many(oauth)
    assert (log_in(oauth, address="203.0.113.1"), log_in(oauth)) == (429, 200)
    fail(oauth, 10)
    assert log_in(oauth) == 429


def test_a_hundred_failures_from_an_address_throttle_it_for_unknown_accounts(oauth):
    oauth.user("bob")
    assert log_in(oauth, "bob") == 200
    for number in range(20):
        fail(oauth, 5, f"user{number}")
    assert log_in(oauth) == 429
    assert log_in(oauth, "bob") == 200, "who has logged in from there"
    assert log_in(oauth, address="192.0.2.2") == 200


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
def test_an_ipv6_address_counts_with_its_network(one, other, same):
    keys = [
        throttle.attempt_key("secret", "ann", None, address).address for address in (one, other)
    ]
    assert (keys[0] == keys[1]) is same


def test_neither_what_was_typed_nor_the_address_is_stored(oauth):
    guess(oauth, "my password by mistake")
    log_in(oauth)
    with oauth.forum.database.reads.connect() as connection:
        tables = (LoginFailure, LoginAddress)
        stored = repr([connection.execute(select(one.__table__)).all() for one in tables])
    assert "mistake" not in stored
    assert HOME not in stored


def test_an_address_that_was_not_seen_for_long_is_forgotten_and_an_unknown_one(oauth):
    log_in(oauth)
    log_in(oauth, address="192.0.2.2")
    for days, addresses in ((100, 2), (100, 1)):
        oauth.time.advance(days=days)
        log_in(oauth)
        assert oauth.count(LoginAddress) == addresses
    oauth.time.advance(days=181)
    fail_from_many(oauth)
    assert log_in(oauth) == 429


def test_right_passwords_of_a_user_are_counted_too(make_forum, time):
    oauth = OAuth(make_forum(accounts__logins_per_user="3"), time)
    assert [log_in(oauth) for _ in range(2)] == [200, 200]
    time.advance(seconds=100)
    assert log_in(oauth, address="198.51.100.7") == 200
    refused = guess(oauth, password=PASSWORD, address="203.0.113.1")
    assert (refused.status_int, refused.headers["Retry-After"]) == (429, "800")
    assert refused.json == {
        "error": "temporarily_unavailable",
        "error_description": "Too many logins. Try again in 800 seconds.",
    }
    assert guess(oauth).status_int == 429, "a wrong password is not even checked"
    assert oauth.count() == 3
    oauth.user("bob")
    assert log_in(oauth, "bob") == 200
    time.advance(seconds=800)
    assert [log_in(oauth) for _ in range(3)] == [200, 200, 429]
    time.advance(days=1)
    log_in(oauth)
    assert oauth.count(LoginSuccess) == 1


def test_right_passwords_from_an_address_are_counted_too(make_forum, time):
    oauth = OAuth(make_forum(accounts__logins_per_address="3"), time)
    for name in ("bob", "cid", "dan"):
        oauth.user(name)
    assert [log_in(oauth, name) for name in ("ann", "bob", "cid")] == [200] * 3
    refused = guess(oauth, "dan", PASSWORD)
    assert (refused.status_int, refused.headers["Retry-After"]) == (429, "900")
    assert log_in(oauth, "dan", "198.51.100.7") == 200
