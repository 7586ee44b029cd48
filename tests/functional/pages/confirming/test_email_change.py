"""A new email address is used once it is confirmed, and the old one is told."""

import pytest

from forumsvc.models import LoginFailure, LoginSuccess
from forumsvc.services import accounts
from tests.functional.conftest import MakeForum
from tests.functional.forum import Caller, Forum
from tests.functional.pages.visitor import (
    NEW_PASSWORD,
    PASSWORD,
    Mail,
    Visitor,
    form_of,
    problem,
    sent,
    with_password,
    wrong,
)
from tests.functional.threads import together

from .account import GOOD, NEW, caller_of, can_write, link, row_of

pytestmark = pytest.mark.both_databases


def test_a_new_address_is_used_once_it_is_confirmed_and_the_old_one_is_told(
    confirmed: Caller, forum: Forum, visitor: Visitor, mail: Mail
) -> None:
    changed = confirmed.put("/users/me", email=NEW, password=PASSWORD, bio="Here")
    assert changed.status_int == 200
    assert (changed.json["email"], changed.json["unconfirmed_email"]) == (GOOD["email"], NEW)
    assert changed.json["bio"] == "Here"
    assert can_write(confirmed, forum.node())
    assert mail()[-1]["To"] == NEW
    assert sent(visitor.form(link(mail))).status_int == 303
    own = confirmed.get("/users/me").json
    assert (own["email"], own["unconfirmed_email"]) == (NEW, None)
    told = mail()[-1]
    assert (told["To"], told["Subject"]) == (
        *(GOOD["email"], "Forum: your email address was changed"),
    )
    assert NEW not in told.get_content()
    assert visitor.log_in(NEW).status_int == 303


def test_a_new_address_needs_the_password_and_a_wrong_one_is_counted(
    confirmed: Caller, forum: Forum
) -> None:
    missing = confirmed.put("/users/me", email=NEW, bio="New")
    assert (missing.status_int, missing.json["error"]) == (
        *(400, "password: is required to change the email address"),
    )
    failed = confirmed.put("/users/me", email=NEW, password="wrong-wire-77", bio="New")
    assert (failed.status_int, failed.json["error"]) == (400, "password: is wrong")
    assert forum.count(LoginFailure) == 1
    row = row_of(forum)
    assert (row.email, row.unconfirmed_email, row.bio) == (GOOD["email"], None, "")
    kept = confirmed.put("/users/me", email=GOOD["email"], bio="New")
    assert (kept.status_int, kept.json["bio"]) == (200, "New"), "many clients send all fields"


def test_the_address_is_changed_on_its_page(
    confirmed: Caller, forum: Forum, visitor: Visitor, mail: Mail
) -> None:
    visitor.log_in("nina")
    form = {"email": NEW, "current_password": PASSWORD}
    page = visitor.send("/settings/email", **{**form, "current_password": "wrong"})
    assert wrong(page) == "Current password is wrong."
    assert forum.count(LoginFailure) == 1
    assert "must be an address" in wrong(visitor.send("/settings/email", **{**form, "email": "x"}))
    page = visitor.send("/settings/email", **form).follow()
    assert f"{NEW} waits to be confirmed" in page.html.find("main").text
    assert GOOD["email"] in page.html.find("main").text
    page = sent(visitor.form(link(mail))).follow()
    assert f"Your email address is {NEW}." in page.html.find("main").text
    visitor.send("/settings/email", email="third@example.org", current_password=PASSWORD)
    visitor.send("/settings/email", email=NEW, current_password=PASSWORD)
    assert row_of(forum).unconfirmed_email is None, "the present address takes the change back"


def test_an_address_to_which_no_more_links_may_be_sent_is_not_changed_to(
    confirmed: Caller, forum: Forum, visitor: Visitor
) -> None:
    visitor.log_in("nina")

    def change(email: str) -> int:
        return visitor.send("/settings/email", email=email, current_password=PASSWORD).status_int

    assert [change(NEW) for _ in range(5)] == [303] * 5
    assert change(GOOD["email"]) == 303
    assert change(NEW) == 429
    assert row_of(forum).unconfirmed_email is None


def test_a_wrong_address_is_corrected_before_it_was_ever_confirmed(
    nina: Caller, forum: Forum, visitor: Visitor, mail: Mail
) -> None:
    wrong_link = link(mail)
    visitor.log_in("nina")
    visitor.send("/settings/email", email=NEW, current_password=PASSWORD)
    assert row_of(forum).email == NEW
    assert not can_write(nina, forum.node())
    assert visitor.get(wrong_link).status_int == 403
    assert sent(visitor.form(link(mail))).status_int == 303
    assert can_write(nina, forum.node("Other"))
    assert [message["To"] for message in mail()] == [GOOD["email"], NEW], "a stranger is not told"


def test_an_address_of_another_account_is_taken_whatever_the_case(
    confirmed: Caller, forum: Forum, visitor: Visitor, mail: Mail
) -> None:
    forum.change(forum.person("other").id, email="o@example.org", email_key="o@example.org")
    taken = confirmed.put("/users/me", email="O@example.org", password=PASSWORD)
    assert (taken.status_int, taken.json["error"]) == (400, "email: is taken")
    visitor.log_in("nina")
    form = {"email": "O@example.org", "current_password": PASSWORD}
    # Refused, and the right passwords are counted all the same: of the API and the page.
    assert "is taken" in wrong(visitor.send("/settings/email", **form))
    assert forum.count(LoginSuccess) == 2
    assert (
        visitor.send("/settings/email", **{**form, "email": "NINA@example.org"}).status_int == 303
    )


@pytest.mark.parametrize("is_page", [True, False])
def test_so_many_changes_of_an_address_an_hour_are_tried_whatever_comes_of_them(
    make_forum: MakeForum, is_page: bool
) -> None:
    forum = make_forum(mail__requests_per_hour="2", accounts__confirm_email="false")
    with_password(forum)
    other = "other@example.org"
    forum.change(forum.person("other").id, email=other, email_key=other)
    visitor, ann = Visitor(forum), caller_of(forum, "ann")
    if is_page:
        visitor.log_in()

    def try_address() -> int:
        if is_page:
            form = {"email": other, "current_password": PASSWORD}
            return int(visitor.send("/settings/email", **form).status_int)
        return ann.put("/users/me", email=other, password=PASSWORD).status_int

    assert [try_address() for _ in range(3)] == [400, 400, 429]


def test_an_address_that_another_account_has_got_meanwhile_is_not_lost(
    confirmed: Caller, forum: Forum, visitor: Visitor, mail: Mail
) -> None:
    confirmed.put("/users/me", email=NEW, password=PASSWORD)
    form = visitor.form(link(mail))
    other = forum.person("other")
    forum.change(other.id, email=NEW, email_key=NEW)
    page = sent(form)
    assert page.status_int == 409
    assert problem(page) == "Another account has this email address by now."
    row = row_of(forum)
    assert (row.email, row.unconfirmed_email) == (GOOD["email"], NEW)
    forum.change(other.id, email=None, email_key=None)
    assert sent(form_of(page)).status_int == 303


def test_of_two_accounts_that_confirm_an_address_at_once_one_wins(forum: Forum, mail: Mail) -> None:
    forms = []
    for login in ("one", "two"):
        person = forum.person(login)
        forum.change(person.id, unconfirmed_email=NEW)
        assert person.post("/users/me/confirmation").status_int == 200
        forms.append(Visitor(forum).form(link(mail)))
    answers = together([lambda form=form: sent(form) for form in forms])  # type: ignore[misc]
    assert sorted(answer.status_int for answer in answers) == [303, 409]
    rows = [row_of(forum, login) for login in ("one", "two")]
    assert sorted([row.email or "" for row in rows]) == ["", NEW]
    assert sorted([row.unconfirmed_email or "" for row in rows]) == ["", NEW]


def test_a_new_password_drops_an_address_that_waits(
    confirmed: Caller, forum: Forum, visitor: Visitor, mail: Mail
) -> None:
    confirmed.put("/users/me", email=NEW, password=PASSWORD)
    path = link(mail)
    visitor.log_in("nina")
    visitor.send("/password", current_password=PASSWORD, new_password=NEW_PASSWORD)
    assert row_of(forum).unconfirmed_email is None
    assert visitor.get(path).status_int == 403


def test_a_deleted_account_keeps_no_address_and_gets_no_link(
    confirmed: Caller, forum: Forum, mail: Mail
) -> None:
    before = len(mail())
    confirmed.put("/users/me", email=NEW, password=PASSWORD)
    with forum.database.session.begin() as db:
        accounts.delete(db, "nina")
    row = row_of(forum)
    assert (row.email, row.email_confirmed_at, row.unconfirmed_email) == (None, None, None)
    assert len(mail()) == before


def test_a_blocked_address_cannot_take_the_place_of_another(
    confirmed: Caller, forum: Forum, mail: Mail
) -> None:
    root = forum.person("root", role="admin", scope="read write admin")
    block = {"kind": "email", "value": NEW, "severity": "sign_up", "reason": "Spam"}
    assert root.post("/access_blocks", **block).status_int == 201
    before = len(mail())
    refused = confirmed.put("/users/me", email=NEW, password=PASSWORD)
    assert (refused.status_int, refused.json["error"]) == (400, "email: cannot be used here")
    assert len(mail()) == before
    assert confirmed.get("/users/me").json["unconfirmed_email"] is None
