"""Signing up on the page."""

import pytest
from sqlalchemy import select

from forumsvc.models import LoginFailure, User
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum
from tests.functional.threads import together

from .visitor import Visitor, form_of, problem, sent, wrong

GOOD = {"login": "Nina", "email": "nina@example.org", "password": "tangled-wire-77"}


def test_a_new_user_signs_up_is_logged_in_and_continues(visitor: Visitor) -> None:
    answer = sent(visitor.form("/signup", next="/password"), **GOOD)
    assert (answer.status_int, answer.location) == (303, "/password")
    assert "Nina" in answer.follow().html.find("header").text
    with visitor.forum.database.reads.connect() as db:
        row = db.execute(select(User.login, User.email, User.role, User.email_public)).one()
    assert row == ("Nina", "nina@example.org", "member", False)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("login", "", "Login is required"),
        ("login", "x", "Login must be 2 to 20"),
        ("email", "nina", "Email must be an address"),
        ("password", "short", "Password must have 10 to 1024 characters"),
        ("password", "nina@example.org", "must not be your login"),
    ],
)
def test_an_error_is_shown_at_its_field_and_the_rest_is_kept(
    visitor: Visitor, field: str, value: str, reason: str
) -> None:
    page = visitor.send("/signup", **{**GOOD, field: value})
    if value:
        assert reason in wrong(page)
    else:
        assert page.status_int == 400
    form = form_of(page)
    assert form["password"].value == ("" if field == "password" else GOOD["password"])
    for name in {"login", "email"} - {field}:
        assert form[name].value == GOOD[name]
    assert visitor.forum.count(User) == 0


def test_all_errors_are_told_at_once(visitor: Visitor) -> None:
    visitor.forum.person("taken")
    page = visitor.send("/signup", login="taken", email="nina@", password="password12")
    told = {
        one["id"].removesuffix("-wrong"): one.text for one in page.html.find_all(class_="wrong")
    }
    assert {name: text.split()[0] for name, text in told.items()} == {
        "login": "Login",
        "email": "Email",
        "password": "Password",
    }
    assert "is taken" in told["login"]


@pytest.mark.parametrize(("field", "value"), [("login", "NINA"), ("email", "Nina@Example.org")])
def test_login_and_email_are_unique_in_any_case(visitor: Visitor, field: str, value: str) -> None:
    visitor.send("/signup", **GOOD)
    other = {"login": "other", "email": "other@example.org", "password": GOOD["password"]}
    assert "is taken" in wrong(visitor.send("/signup", **{**other, field: value}))


def test_a_form_that_is_sent_twice_makes_one_account_and_logs_in(forum: Forum) -> None:
    browsers = [Visitor(forum), Visitor(forum)]
    forms = [browser.form("/signup") for browser in browsers]
    answers = together([lambda form=form: sent(form, **GOOD) for form in forms])  # type: ignore[misc]
    assert [answer.status_int for answer in answers] == [303, 303]
    assert all(browser.is_logged_in() for browser in browsers)
    assert forum.count(User) == 1


def test_nobody_signs_up_into_an_account_without_its_password(forum: Forum) -> None:
    stranger = Visitor(forum)
    form = stranger.form("/signup")
    assert Visitor(forum).send("/signup", **GOOD).status_int == 303
    page = sent(form, **{**GOOD, "password": "another-rope-12"})
    assert (page.status_int, stranger.is_logged_in()) == (400, False)
    assert forum.count(LoginFailure) == 1


def test_of_an_older_account_a_form_does_not_show_that_login_and_email_belong_together(
    forum: Forum,
) -> None:
    assert Visitor(forum).send("/signup", **GOOD).status_int == 303
    stranger = Visitor(forum)
    for password in (GOOD["password"], "another-rope-12"):
        assert stranger.send("/signup", **{**GOOD, "password": password}).status_int == 400
    assert (stranger.is_logged_in(), forum.count(LoginFailure)) == (False, 0)


def test_with_closed_registration_there_is_no_signup_page_and_no_link_to_it(
    make_forum: MakeForum,
) -> None:
    visitor = Visitor(make_forum())
    page = visitor.get("/signup")
    assert (page.status_int, problem(page)) == (
        403,
        "Registration is closed here; ask an administrator for an account.",
    )
    assert visitor.post("/signup", **GOOD).status_int == 403
    assert visitor.forum.count(User) == 0
    for path in ("/", "/login"):
        assert "/signup" not in visitor.get(path).text


def test_accounts_per_address_are_limited(make_forum: MakeForum) -> None:
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
