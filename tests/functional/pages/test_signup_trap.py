"""The sign-up page lets people in and programs out; and who may not sign up from where."""

from datetime import timedelta

import pytest
from webtest import Form

from forumsvc import clock
from forumsvc.models import User
from forumsvc.sessions import users
from tests.functional.blocking import ADDRESS, block, root_of
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, make_app

from .visitor import Visitor, form_of, problem, sent, wrong

GOOD = {"login": "Nina", "email": "nina@example.org", "password": "tangled-wire-77"}
TRY_AGAIN = ("Wait a few seconds and try again", "send it once more")


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    """A forum with the trap."""
    return make_forum(accounts__registration="open", accounts__sign_up_min_seconds="3")


@pytest.fixture
def advance(monkeypatch: pytest.MonkeyPatch) -> "Clock":
    """A clock that stands still until it is told otherwise."""
    return Clock(monkeypatch)


class Clock:
    """A clock that is put forward."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = clock.now()
        monkeypatch.setattr(clock, "now", lambda: self.now)

    def __call__(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def signed_up(form: Form, forum: Forum, **fields: str) -> bool:
    """Send the form; return whether there is an account, else the page must say to try again."""
    before = forum.count(User)
    page = sent(form, **{**GOOD, **fields})
    if page.status_int == 303:
        return True
    assert page.status_int == 400
    assert problem(page).rstrip(".").endswith(TRY_AGAIN)
    assert forum.count(User) == before
    return False


def test_who_is_too_fast_is_asked_to_try_again_and_may(visitor, advance):
    form = visitor.form("/signup")
    advance(2.9)
    page = sent(form, **GOOD)
    assert problem(page).rstrip(".").endswith(TRY_AGAIN)
    again = form_of(page)
    assert (again["login"].value, again["password"].value) == (GOOD["login"], GOOD["password"])
    advance(0.1)
    assert signed_up(again, visitor.forum)


def test_an_error_in_a_field_does_not_start_the_time_again(visitor, advance):
    form = visitor.form("/signup")
    advance(3)
    page = sent(form, **{**GOOD, "login": "x"})
    assert "must be 2 to 20" in wrong(page)
    assert signed_up(form_of(page), visitor.forum)


@pytest.mark.parametrize(
    ("seconds", "sent"),
    [
        (60, {"extra": "https://spam.example/"}),
        *((60, {"shown_at": forged}) for forged in ("", "0.x", "1.2.3")),
        (24 * 3600 + 1, {}),
    ],
)
def test_a_filled_hidden_field_a_forged_time_and_an_old_form_give_no_account(
    visitor, advance, seconds, sent
):
    form = visitor.form("/signup")
    advance(seconds)
    assert not signed_up(form, visitor.forum, **sent)


def test_the_time_of_another_browser_is_refused(visitor, advance):
    stolen = visitor.form("/signup")["shown_at"].value
    advance(60)
    form = Visitor(visitor.forum).form("/signup")
    assert not signed_up(form, visitor.forum, shown_at=stolen)


def test_without_a_least_time_the_hidden_field_still_counts(make_forum):
    forum = make_forum(accounts__registration="open", accounts__sign_up_min_seconds="off")
    assert not signed_up(Visitor(forum).form("/signup"), forum, extra="x")
    assert signed_up(Visitor(forum).form("/signup"), forum)


def test_the_hidden_field_is_out_of_reach_of_keyboards_and_screen_readers(visitor):
    field = visitor.get("/signup").html.find(id="extra")
    assert (field["tabindex"], field["autocomplete"], field["value"]) == ("-1", "off", "")
    assert field.parent["aria-hidden"] == "true"
    assert "hidden" in field.parent["class"]


def test_nobody_signs_up_from_a_blocked_network(make_forum):
    forum = make_forum(accounts__registration="open")
    block(root_of(forum), severity="sign_up")
    page = Visitor(forum, REMOTE_ADDR=ADDRESS).send("/signup", **GOOD)
    assert page.status_int == 403
    assert "Sign-up from your network is not possible." in page.text
    assert Visitor(forum).send("/signup", **GOOD).status_int == 303


@pytest.mark.parametrize(
    ("kind", "value", "refused", "accepted"),
    [
        ("email", "ni.na+x@googlemail.com", "N.I.N.A+spam@gmail.com", "ninas@gmail.com"),
        ("email_domain", "spam.example", "nina@a.b.spam.example", "nina@notspam.example"),
    ],
)
def test_an_email_address_is_refused_in_its_normal_form_without_naming_the_rule(
    make_forum, kind, value, refused, accepted
):
    forum = make_forum(accounts__registration="open")
    visitor, root = Visitor(forum), root_of(forum)
    block(root, value, "sign_up", kind=kind)
    message = "cannot be used to sign up here"
    assert message in wrong(visitor.send("/signup", **{**GOOD, "email": refused}))
    answer = forum.nobody.post("/users", **{**GOOD, "email": refused})
    assert (answer.status_int, answer.json) == (400, {"error": f"email: {message}"})
    assert visitor.send("/signup", **{**GOOD, "email": accepted}).status_int == 303


def test_a_domain_in_its_own_letters_and_in_ascii_is_one(make_forum):
    forum = make_forum(accounts__registration="open")
    first = {**GOOD, "email": "nina@b\u00fccher.example"}
    assert forum.nobody.post("/users", **first).status_int == 201
    second = {**GOOD, "login": "other", "email": "Nina@xn--bcher-kva.example"}
    answer = forum.nobody.post("/users", **second)
    assert (answer.status_int, answer.json["error"]) == (400, "email: is taken")
    with forum.database.reads.connect() as reads:
        for email in (first["email"], second["email"]):
            owner = users.find(reads, email)
            assert owner is not None
            assert owner.login == "Nina"


def test_domains_of_the_file_are_refused_and_their_subdomains(make_forum, tmp_path):
    text = "# throw-away\n\nmail.example # a comment\nOther.Example\n"
    (tmp_path / "domains.txt").write_text(text)
    forum = make_forum(accounts__registration="open", accounts__email_domains_file="domains.txt")
    visitor = Visitor(forum)
    for email in ("nina@mail.example", "nina@a.mail.example", "nina@other.example"):
        page = visitor.send("/signup", **{**GOOD, "email": email})
        assert "cannot be used to sign up here" in wrong(page)
    assert visitor.send("/signup", **{**GOOD, "email": "n@email.example"}).status_int == 303


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "cannot be read"), (b"\xff", "cannot be read"), (b"a.example\nno domain\n", "line 2")],
)
def test_a_file_of_domains_that_is_wrong_ends_the_start_with_one_line(
    database_url, tmp_path, content, problem
):
    if content is not None:
        (tmp_path / "domains.txt").write_bytes(content)
    with pytest.raises(SystemExit) as ended:
        make_app(database_url, tmp_path, **{"accounts.email_domains_file": "domains.txt"})
    assert "accounts.email_domains_file" in str(ended.value)
    assert problem in str(ended.value)
