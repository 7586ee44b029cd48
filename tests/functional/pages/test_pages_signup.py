"""Signing up on the page."""

from forumsvc.models import LoginFailure, User
from tests.functional.oauth.application import Application
from tests.functional.threads import together

from .visitor import Visitor, sent

GOOD = {"login": "Nina", "email": "nina@example.org", "password": "tangled-wire-77"}


def test_a_form_that_is_sent_twice_makes_one_account_and_logs_in(forum):
    browsers = [Visitor(forum), Visitor(forum)]
    forms = [browser.form("/signup") for browser in browsers]
    answers = together([lambda form=form: sent(form, **GOOD) for form in forms])  # type: ignore[misc]
    assert [answer.status_int for answer in answers] == [303, 303]
    assert all(browser.is_logged_in() for browser in browsers)
    assert forum.count(User) == 1


def test_nobody_signs_up_into_an_account_without_its_password(forum):
    stranger = Visitor(forum)
    form = stranger.form("/signup")
    assert Visitor(forum).send("/signup", **GOOD).status_int == 303
    page = sent(form, **{**GOOD, "password": "another-rope-12"})
    assert (page.status_int, stranger.is_logged_in()) == (400, False)
    assert forum.count(LoginFailure) == 1


def test_accounts_per_address_are_limited(make_forum):
    forum = make_forum(accounts__registration="open", accounts__registrations_per_hour="2")
    visitor = Visitor(forum, REMOTE_ADDR="2001:db8::1")
    neighbour = Visitor(forum, REMOTE_ADDR="2001:db8::2")
    stranger = Visitor(forum, REMOTE_ADDR="2001:db8:0:1::1")
    assert visitor.send("/signup", **{**GOOD, "login": "1"}).status_int == 400
    assert neighbour.send("/signup", **GOOD).status_int == 303
    again = {"login": "third", "email": "third@example.org", "password": GOOD["password"]}
    answer = visitor.send("/signup", **again)
    assert answer.status_int == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 3600
    assert stranger.send("/signup", **again).status_int == 303


def test_who_signed_up_logs_in(forum):
    assert forum.nobody.post("/users", **GOOD).status_int == 201
    issued = Application(forum).log_in("nina", GOOD["password"])
    assert forum.caller(issued.json["access_token"]).get("/users/me").json["email"] == GOOD["email"]


def test_attempts_per_address_are_limited(make_forum):
    forum = make_forum(accounts__registration="open", accounts__registrations_per_hour="1")
    assert forum.nobody.post("/users", **GOOD).status_int == 201
    answer = forum.nobody.post("/users")
    assert answer.status_int == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 3600
