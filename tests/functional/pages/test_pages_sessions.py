"""Logging in to the pages: the cookie, the session, the CSRF token."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select

from forumsvc import clock
from forumsvc.models import BrowserSession, User
from forumsvc.pages.account import login
from forumsvc.process.passwords import hash_password
from forumsvc.sessions.token_hash import hash_token
from forumsvc.web.pipeline.session_cookie import site_cookie_name
from tests.cases import each
from tests.functional.forum import Forum

from .visitor import (
    NEW_PASSWORD,
    PASSWORD,
    Visitor,
    expire_sessions,
    form_with,
    problem,
)

SESSION = site_cookie_name("http://localhost", "session")


def cookie(visitor: Visitor) -> str:
    return visitor.app.cookies[SESSION]


def test_the_cookie_is_http_only_and_same_site(visitor, ann):
    answer = visitor.log_in()
    parts = {part.strip().lower() for part in answer.headers["Set-Cookie"].split(";")}
    assert {"httponly", "samesite=lax", "path=/"} <= parts
    assert "secure" not in parts
    assert not any(part.startswith("domain") for part in parts)


def test_behind_tls_the_cookie_is_secure_and_bound_to_the_host(make_forum):
    forum = make_forum(site__url="https://forum.example")
    answer = Visitor(forum).get("/login")
    name, *parts = answer.headers["Set-Cookie"].split("; ")
    assert name.startswith("__Host-session_")
    assert {"secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(parts)


def test_forums_at_two_ports_of_a_host_do_not_log_each_other_out(visitor, ann):
    """Cookies know no port."""
    answer = visitor.log_in()
    elsewhere = visitor.app.get("/login", extra_environ={"HTTP_HOST": "localhost:8001"})
    names = {one.headers["Set-Cookie"].partition("=")[0] for one in (answer, elsewhere)}
    assert len(names) == 2


def test_only_the_hash_of_the_cookie_is_stored(visitor, ann):
    visitor.log_in()
    with visitor.forum.database.reads.connect() as db:
        stored = db.execute(select(BrowserSession.secret_hash, BrowserSession.user_id)).all()
    assert stored == [(hash_token(cookie(visitor)), ann)]


def test_the_login_invalidates_the_former_cookie(visitor, ann):
    visitor.get("/login")
    planted = cookie(visitor)
    visitor.log_in()
    thief = Visitor(visitor.forum)
    thief.app.set_cookie(SESSION, planted)
    assert not thief.is_logged_in()


def test_a_login_ends_the_session_that_the_browser_had(visitor, ann):
    visitor.log_in()
    former = cookie(visitor)
    assert visitor.post("/login", username="ann", password=PASSWORD).status_int == 303
    assert visitor.is_logged_in()
    visitor.app.set_cookie(SESSION, former)
    assert not visitor.is_logged_in()


def test_logging_out_ends_the_session(visitor, ann):
    visitor.log_in()
    value = cookie(visitor)
    page = visitor.get("/")
    out = form_with(page, "/logout").submit()
    assert out.status_int == 303
    visitor.app.set_cookie(SESSION, value)
    assert not visitor.is_logged_in()
    assert visitor.forum.count(BrowserSession) == 0


def uses(forum: Forum) -> list[tuple[datetime | None, str]]:
    """Return when and from where each session was last used, once all that waits is written."""
    forum.registry.session_uses.finish()
    with forum.database.reads.connect() as db:
        columns = select(BrowserSession.last_used_at, BrowserSession.network)
        return [(row[0], row[1]) for row in db.execute(columns.order_by(BrowserSession.id))]


def test_two_log_ins_in_equal_browsers_are_told_apart_by_network_and_last_use(forum, ann):
    for address in ("203.0.113.7", "2001:db8:1:2:3::4", "unknown"):
        browser = Visitor(forum, REMOTE_ADDR=address)
        browser.log_in()
    entries = browser.get("/settings/sessions").html.find_all(class_="entry")
    shown = [" ".join(one.find(class_="about").text.split()) for one in entries]
    assert ["last used" in one for one in shown] == [True, True, True]
    assert ["network" in one for one in shown] == [False, True, True]
    assert shown[1].endswith("from the network 2001:db8:1:2::/64")
    assert shown[2].endswith("from the network 203.0.113.0/24")


@pytest.mark.both_databases
def test_the_use_of_a_session_is_written_once_an_hour(forum, ann, monkeypatch):
    start = clock.now().replace(microsecond=0)
    monkeypatch.setattr(clock, "now", lambda: start)
    browser, other = Visitor(forum, REMOTE_ADDR="203.0.113.7"), Visitor(forum)
    browser.log_in()
    other.log_in()
    unused = uses(forum)[1]
    browser.app.extra_environ["REMOTE_ADDR"] = "198.51.100.9"
    for minutes, network, used_after in (
        (59, "203.0.113.0/24", 0),
        (61, "198.51.100.0/24", 61),
        (120, "198.51.100.0/24", 61),
    ):
        later = start + timedelta(minutes=minutes)
        monkeypatch.setattr(clock, "now", lambda later=later: later)
        assert browser.is_logged_in()
        assert uses(forum) == [(start + timedelta(minutes=used_after), network), unused]


@pytest.mark.both_databases
def test_a_session_that_ended_meanwhile_comes_not_back(forum, ann, monkeypatch):
    browser = Visitor(forum)
    browser.log_in()
    later = clock.now() + timedelta(hours=2)
    monkeypatch.setattr(clock, "now", lambda: later)
    browser.get("/")
    with forum.database.session.begin() as db:
        db.execute(delete(BrowserSession))
    assert uses(forum) == []


def test_an_expired_session_is_invalid(visitor, ann):
    visitor.log_in()
    expire_sessions(visitor.forum)
    answer = visitor.get("/password")
    assert answer.status_int == 303
    assert answer.location == "/login?next=%2Fpassword"


def meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """Run something between the password check of the next login and its session."""
    check = login.attempt_login

    def checked(*args: Any) -> Any:
        monkeypatch.setattr(login, "attempt_login", check)
        attempt = check(*args)
        happens()
        return attempt

    monkeypatch.setattr(login, "attempt_login", checked)


def test_a_password_changed_during_the_check_is_rejected(visitor, ann, monkeypatch):
    new = hash_password(NEW_PASSWORD)
    meanwhile(monkeypatch, lambda: visitor.forum.change(ann, password_hash=new))
    assert visitor.log_in().status_int == 400
    assert not visitor.is_logged_in()
    assert visitor.forum.count(BrowserSession) == 0


FORMS = ["/password/forgotten", "/oauth/authorize", "/password/reset"]
OWN = ["/password", "/applications", "/applications/x/revoke", "/applications/x/rotate"]
OWN += ["/applications/x/delete", "/logout", "/logout/everywhere"]


@pytest.mark.parametrize("path", FORMS + OWN)
@pytest.mark.parametrize("token", [None, "x", "0" * 64, "0" * 128])
def test_every_form_needs_a_csrf_token(visitor, ann, path, token):
    visitor.log_in()
    fields = {} if token is None else {"csrf_token": token}
    answer = visitor.app.post(path, fields, status=403)
    assert "out of date" in problem(answer)
    assert visitor.is_logged_in()


@each("path", ["/login", "/signup"])
@each("token", ["", "x"])
def test_who_is_logged_in_is_led_on_from_a_form_without_a_token(visitor, ann, path, token):
    visitor.log_in()
    fields = {"csrf_token": token, "username": "bob", "login": "bob", "password": "x" * 12}
    answer = visitor.app.post(path, fields)
    assert (answer.status_int, answer.location) == (303, "/")
    assert visitor.forum.count(User) == 1
    assert visitor.is_logged_in()


def test_a_csrf_token_in_the_url_is_rejected(visitor, ann):
    visitor.log_in()
    token = visitor.form("/password")["csrf_token"].value
    assert visitor.app.post(f"/logout?csrf_token={token}", status="*").status_int == 403
    assert visitor.app.post("/logout", {"csrf_token": token}).status_int == 303


@pytest.mark.parametrize("path", ["/login", "/signup", "/password/forgotten"])
def test_the_csrf_token_of_another_browser_is_rejected(visitor, path):
    theirs = Visitor(visitor.forum).form(path)["csrf_token"].value
    visitor.get(path)
    assert visitor.app.post(path, {"csrf_token": theirs}, status="*").status_int == 403
    visitor.app.reset()
    assert visitor.app.post(path, {"csrf_token": theirs}, status="*").status_int == 403


def test_a_csrf_token_from_before_the_login_is_rejected(visitor, ann):
    old = visitor.form("/login")["csrf_token"].value
    visitor.log_in()
    answer = visitor.app.post(
        "/password",
        {"csrf_token": old, "current_password": PASSWORD, "new_password": NEW_PASSWORD},
        status="*",
    )
    assert answer.status_int == 403


ELSEWHERE = [
    "//evil.example",
    "https://evil.example/",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    "evil.example",
    " /x",
    "/x\r\nSet-Cookie: a=b",
    "/ü",
    "/" + "x" * 20_000,
]


@pytest.mark.parametrize("path", ELSEWHERE)
def test_the_login_never_redirects_to_another_site(visitor, ann, path):
    answer = visitor.log_in(next=path)
    assert (answer.status_int, answer.location) == (303, "/")
    assert visitor.get("/login", next=path).location == "/"
