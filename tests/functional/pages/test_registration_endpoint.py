"""POST /api/v3/users."""

import pytest

from forumsvc.models import User
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum
from tests.functional.oauth.application import Application

GOOD = {"login": "Nina", "email": "nina@example.org", "password": "tangled-wire-77"}


def test_anybody_can_create_an_account_and_log_in(forum: Forum) -> None:
    made = forum.nobody.post("/users", **GOOD)
    assert made.status_int == 201
    assert made.headers["Location"] == f"http://localhost/api/v3/users/{made.json['id']}"
    assert (made.json["login"], made.json["level"]) == ("Nina", "member")
    assert made.json["abilities"] == {"follow": False, "block": False, "update": False}
    assert {"bio", "created_at", "topics_count"} <= set(made.json)
    assert "password" not in made.text
    issued = Application(forum).log_in("nina", GOOD["password"])
    assert forum.caller(issued.json["access_token"]).get("/users/me").json["email"] == GOOD["email"]


@pytest.mark.parametrize("scope", ["read", "write"])
def test_it_needs_no_scope(forum: Forum, scope: str) -> None:
    assert forum.person("bob", scope=scope).post("/users", **GOOD).status_int == 201


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("login", None),
        ("login", "x"),
        ("email", "nina"),
        ("email", "nína@example.org"),
        ("password", "short"),
        ("password", 12345678),
    ],
)
def test_a_wrong_field_is_named(forum: Forum, field: str, value: object) -> None:
    answer = forum.nobody.call("POST", "/users", json={**GOOD, field: value})
    assert answer.status_int == 400
    assert answer.json["error"].startswith(f"{field}: ")
    assert forum.count(User) == 0


@pytest.mark.parametrize("field", ["login", "email"])
def test_a_taken_login_or_email_is_named(forum: Forum, field: str) -> None:
    forum.nobody.post("/users", **GOOD)
    other = {**GOOD, "login": "other", "email": "other@example.org", field: GOOD[field].upper()}
    answer = forum.nobody.post("/users", **other)
    assert (answer.status_int, answer.json["error"]) == (400, f"{field}: is taken")


def test_each_of_two_domains_that_idna_2003_took_for_one_has_its_account(forum: Forum) -> None:
    for login, email, status in (
        ("one", "nina@fass.de", 201),
        ("two", "nina@faß.de", 201),
        ("three", "nina@xn--fa-hia.de", 400),
    ):
        answer = forum.nobody.post("/users", **{**GOOD, "login": login, "email": email})
        assert answer.status_int == status
    assert answer.json["error"] == "email: is taken"


def test_closed_registration_is_checked_before_the_parameters(make_forum: MakeForum) -> None:
    forum = make_forum()
    for fields in (GOOD, {}):
        answer = forum.nobody.post("/users", **fields)
        assert answer.status_int == 403
        assert answer.json["error"].startswith("Registration is closed here")
    assert forum.count(User) == 0


def test_attempts_per_address_are_limited(make_forum: MakeForum) -> None:
    forum = make_forum(accounts__registration="open", accounts__registrations_per_hour="1")
    assert forum.nobody.post("/users", **GOOD).status_int == 201
    answer = forum.nobody.post("/users")
    assert answer.status_int == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 3600
