"""The page of what one gets by email, and the link that unsubscribes without a log-in."""

from datetime import timedelta
from typing import Any

import pytest

from forumsvc import clock
from forumsvc.clock import rfc3339
from forumsvc.models import MailTopic
from forumsvc.process.passwords import hash_password
from forumsvc.services.notifications import unsubscribing
from tests.functional.forum import SECRET, Forum, Person
from tests.functional.pages.visitor import PASSWORD, Visitor

YEAR = timedelta(days=365)
CHOSEN = {
    "mention": "hourly",
    "reply": "instant",
    "follow": "off",
    "moderation": "off",
    "digest": "weekly",
    "refused_at": None,
}


@pytest.fixture
def ann(forum: Forum) -> Person:
    person = forum.person("ann")
    forum.change(person.id, password_hash=hash_password(PASSWORD))
    chosen = {name: value for name, value in CHOSEN.items() if value is not None}
    assert person.put("/users/me/mail", **chosen).json == CHOSEN
    return person


def link_of(person: Person, about: MailTopic = MailTopic.REPLY, **options: Any) -> str:
    moment = options.get("at", clock.now())
    return unsubscribing.link("", SECRET, person.id, about, moment)


def choices(person: Person) -> dict[str, str]:
    chosen: dict[str, str] = person.get("/users/me/mail").json
    return chosen


def test_a_member_chooses_on_the_page_what_they_get_by_email(forum, ann):
    browser = Visitor(forum)
    browser.log_in("ann")
    form = browser.form("/settings/mail")
    assert (form["mention"].value, form["reply"].value) == ("hourly", "instant")
    form["mention"].value, form["locale"].value = "off", "ar"
    assert "Saved." in form.submit().follow().text
    assert choices(ann) == {**CHOSEN, "mention": "off"}
    assert ann.get("/users/me").json["locale"] == "ar"
    assert "confirmed address" in browser.get("/settings/mail").text


def test_the_profile_has_the_language_of_emails_and_empty_is_that_of_the_forum(forum, ann):
    browser = Visitor(forum)
    browser.log_in("ann")
    for chosen, kept in (("zh", "zh"), ("ar", "ar"), ("en", "en"), ("", None)):
        form = browser.form("/settings")
        form["locale"].value = chosen
        form.submit().follow()
        assert ann.get("/users/me").json["locale"] == kept
        assert browser.form("/settings/mail")["locale"].value == chosen
    form = browser.form("/settings")
    form["locale"].force_value("xx")
    assert form.submit(status="*").status_int == 400


def test_a_button_sends_again_to_an_address_that_was_refused(forum, ann):
    now = clock.now()
    forum.change(ann.id, email_confirmed_at=now, mail_refusals=3, mail_refused_at=now)
    assert choices(ann)["refused_at"] == rfc3339(now)
    browser = Visitor(forum)
    browser.log_in("ann")
    page = browser.get("/settings/mail")
    [form] = [form for form in page.forms.values() if (form.action or "").endswith("/resume")]
    shown = form.submit().follow()
    assert "You get emails again." in shown.text
    assert "has refused" not in shown.text
    assert choices(ann)["refused_at"] is None


def test_where_no_emails_are_sent_the_page_says_so(make_forum):
    forum = make_forum(mail__delivery="none")
    person = forum.person("ann")
    forum.change(person.id, password_hash=hash_password(PASSWORD))
    browser = Visitor(forum)
    browser.log_in("ann")
    assert "sends no emails" in browser.get("/settings/mail").text


def test_who_is_silenced_chooses_too(forum, ann):
    forum.change(ann.id, state="blocked")
    browser = Visitor(forum)
    browser.log_in("ann")
    form = browser.form("/settings/mail")
    form["reply"].value = "off"
    assert "Saved." in form.submit().follow().text
    assert ann.put("/users/me/mail", mention="off").json["reply"] == "off"


@pytest.mark.parametrize("state", ["active", "blocked"])
def test_one_click_without_a_cookie_ends_that_kind_alone_and_twice_is_as_once(forum, ann, state):
    forum.change(ann.id, state=state)
    link = link_of(ann)
    page = Visitor(forum).get(link)
    assert page.status_int == 200
    assert choices(ann)["reply"] == "instant"
    for _ in range(2):
        answer = Visitor(forum).app.post(link, {"List-Unsubscribe": "One-Click"})
        assert answer.status_int == 200
    assert choices(ann) == {**CHOSEN, "reply": "off"}


def test_the_page_of_the_link_has_one_button_that_unsubscribes(forum, ann):
    page = Visitor(forum).get(link_of(ann, MailTopic.MENTION))
    [form] = [form for form in page.forms.values() if "unsubscribe" in (form.action or "")]
    assert "no more emails" in form.submit().text
    assert choices(ann) == {**CHOSEN, "mention": "off"}


def test_a_multipart_body_is_taken_as_well(forum, ann):
    content = [("List-Unsubscribe", "x", b"One-Click")]
    answer = Visitor(forum).app.post(link_of(ann), upload_files=content, status="*")
    assert answer.status_int == 200
    assert choices(ann)["reply"] == "off"


def test_a_link_that_is_forged_or_too_old_does_nothing(forum, ann):
    other = link_of(ann, MailTopic.FOLLOW)
    old = link_of(ann, at=clock.now() - 2 * YEAR - timedelta(minutes=1))
    right = link_of(ann)
    forged = [
        old,
        right[:-1],
        other.replace("about=follow", "about=reply"),
        right.replace(f"token={ann.id}.", f"token={ann.id + 1}."),
        right.replace("about=reply", "about=x"),
        unsubscribing.PATH,
    ]
    for link in forged:
        assert 400 <= Visitor(forum).app.post(link, status="*").status_int < 500
        assert 400 <= Visitor(forum).get(link).status_int < 500
    assert choices(ann) == CHOSEN
    almost = link_of(ann, at=clock.now() - 2 * YEAR + timedelta(minutes=5))
    assert Visitor(forum).app.post(almost).status_int == 200
