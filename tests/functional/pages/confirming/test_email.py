"""Who signs up confirms their email address before they write."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import delete

from forumsvc import clock
from forumsvc.db.statements import insert_row
from forumsvc.errors import Conflict
from forumsvc.models import BrowserSession, Job, MailKind, OAuthToken
from forumsvc.security.identity import Identity, Level
from forumsvc.security.principals import principals_of
from forumsvc.services import mails
from forumsvc.services.accounts import accounts, invitations, unconfirmed_accounts
from forumsvc.services.accounts.invitees import Invitee
from tests.functional.background_jobs import do_periodic_work
from tests.functional.forum import Caller
from tests.functional.pages.conftest import OPEN
from tests.functional.pages.visitor import (
    PASSWORD,
    Visitor,
    form_of,
    problem,
    sent,
    with_password,
)
from tests.functional.queued_mails import queued_mails
from tests.functional.threads import together

from .account import GOOD, NEW, caller_of, can_write, link, row_of


def test_a_forged_or_expired_link_confirms_nothing(nina, forum, visitor, mail, monkeypatch):
    path = link(mail)
    user_id, expires, signature = path.partition("=")[2].split(".")
    page = path.partition("=")[0]
    other = forum.person("other")
    later = int(expires) + 1
    for token in (
        *(f"{other.id}.{expires}.{signature}", f"{user_id}.{later}.{signature}"),
        *(f"{user_id}.{expires}.{'A' * 43}", f"{9 * 10**18}9.{expires}.{signature}", "", "x"),
    ):
        assert visitor.get(f"{page}={token}").status_int == 403
    form = visitor.form(path)
    now: datetime = clock.now() + timedelta(days=3, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: now)
    assert sent(form).status_int == 403
    assert row_of(forum).email_confirmed_at is None


def test_with_the_setting_off_people_write_at_once_and_an_address_changes_at_once(make_forum):
    forum = make_forum(**{name.replace(".", "__"): value for name, value in OPEN.items()})
    visitor = Visitor(forum)
    assert visitor.send("/signup", **GOOD).location == "/"
    nina = caller_of(forum)
    assert can_write(nina, forum.node())
    refused = nina.post("/users/me/confirmation")
    assert refused.json["error"] == "Your email address is confirmed already."
    changed = nina.put("/users/me", email=NEW, password=PASSWORD).json
    assert (changed["email"], changed["unconfirmed_email"]) == (NEW, NEW)
    visitor.log_in("nina")
    form = {"email": "third@example.org", "current_password": PASSWORD}
    page = visitor.send("/settings/email", **form).follow()
    assert page.html.find(role="status").text == "Your email address is saved."
    # Nobody has confirmed the second one, so it may be a stranger's.
    queued = [(one.kind, one.recipient) for one in queued_mails(forum.database)]
    assert queued == [("email_changed", GOOD["email"])]


@pytest.mark.parametrize("host", ["gmail.com", "own.example"])
def test_a_mailbox_gets_only_so_many_emails_that_its_owner_has_not_asked_for(forum, host):
    tags = [str(number) for number in range(6)]
    statuses = [
        forum.nobody.post(
            "/users", login=f"nina{tag}", email=f"n+{tag}@{host}", password=PASSWORD
        ).status_int
        for tag in tags
    ]
    assert statuses == [201] * 5 + [429]
    assert forum.count(Job) == 5


def test_what_sends_no_email_keeps_nobody_from_signing_up(forum, visitor):
    for number in range(9):
        stranger = Visitor(forum, REMOTE_ADDR=f"192.0.2.{number}")
        asked = stranger.send("/password/forgotten", email=GOOD["email"])
        refused = stranger.send("/signup", **{**GOOD, "password": "1234567890"})
        assert (asked.status_int, refused.status_int) == (200, 400)
    assert visitor.send("/signup", **GOOD).status_int == 303


def test_where_nothing_is_confirmed_a_former_address_is_told_only_so_often(make_forum):
    forum = make_forum(**{name.replace(".", "__"): value for name, value in OPEN.items()})
    for number in range(7):
        form = {**GOOD, "login": f"nina{number}", "email": "victim@example.com"}
        assert forum.nobody.post("/users", **form).status_int == 201
        nina = caller_of(forum, f"nina{number}")
        other = f"nina{number}@example.org"
        assert nina.put("/users/me", email=other, password=PASSWORD).status_int == 200
    assert forum.count(Job) == 5


@pytest.mark.parametrize("delivery", ["none", "folder"])
def test_an_email_is_stored_only_where_it_can_be_sent(make_forum, delivery):
    settings = {**OPEN, "mail.delivery": delivery}
    forum = make_forum(**{name.replace(".", "__"): value for name, value in settings.items()})
    assert forum.nobody.post("/users", **GOOD).status_int == 201
    changed = caller_of(forum).put("/users/me", email=NEW, password=PASSWORD)
    assert changed.status_int == 200
    assert forum.count(Job) == (delivery == "folder")


@pytest.mark.usefixtures("nina")
def test_an_account_that_nobody_confirms_or_uses_ends_and_its_login_and_address_are_free(forum):
    for login in ("writer", "reader", "young", "done"):
        form = {**GOOD, "login": login, "email": f"{login}@example.org"}
        assert forum.nobody.post("/users", **form).status_int == 201
    long_ago = clock.now() - timedelta(days=8)
    for login in ("nina", "writer", "reader", "done"):
        forum.change(row_of(forum, login).id, created_at=long_ago, updated_at=long_ago)
    forum.change(row_of(forum, "done").id, email_confirmed_at=long_ago)
    writer = forum.caller(forum.token(row_of(forum, "writer").id))
    forum.change(row_of(forum, "writer").id, email_confirmed_at=long_ago)
    assert can_write(writer, forum.node())
    unconfirmed = {"email_confirmed_at": None, "updated_at": long_ago}
    forum.change(row_of(forum, "writer").id, **unconfirmed)
    former = row_of(forum).id
    reader = forum.caller(forum.token(row_of(forum, "reader").id))
    with forum.database.session.begin() as db:
        db.execute(delete(OAuthToken).where(OAuthToken.user_id == former))
        # The former one has signed up on the page, so it has a session as old as the account.
        db.execute(delete(BrowserSession).where(BrowserSession.user_id == former))
        session = {"user_id": former, "created_at": long_ago, "expires_at": clock.now()}
        insert_row(db, BrowserSession, secret_hash="x", **session)
    do_periodic_work(forum)
    assert reader.get("/hello").status_int == writer.get("/hello").status_int == 200
    assert row_of(forum, "young").email == "young@example.org"
    assert row_of(forum, "done").email == "done@example.org"
    ended = row_of(forum, f"deleted-{former}")
    assert (ended.id, ended.state, ended.email) == (former, "deleted", None)
    assert forum.nobody.post("/users", **GOOD).status_int == 201


def test_an_invited_account_is_kept_as_long_as_its_last_link_is_valid(forum):
    root, now = forum.person("root", role="admin").id, clock.now()
    who = Invitee("nina", "nina@example.org")

    def due() -> list[int]:
        with forum.database.reads.connect() as db:
            return [one.id for one in unconfirmed_accounts.due(db, now - timedelta(days=1))]

    with forum.database.session.begin() as db:
        invited = invitations.invite(db, root, now, who).id
    for days, expected in ((6, []), (8, [invited])):
        ago = now - timedelta(days=days)
        forum.change(invited, created_at=ago, updated_at=ago)
        assert due() == expected, days
    with forum.database.session.begin() as db:
        invitations.invite(db, root, now, who)
    assert due() == []


@pytest.mark.parametrize("setting", [{}, {"accounts__unconfirmed_days": "off"}])
def test_no_account_ends_where_none_has_to_be_confirmed_or_the_setting_is_off(
    forum, nina, make_forum, setting
):
    assert nina.get("/hello").status_int == 200
    long_ago = clock.now() - timedelta(days=800)
    forum.change(row_of(forum).id, created_at=long_ago, updated_at=long_ago)
    usual = {"mail__delivery": "folder", "accounts__confirm_email": "true"}
    other = make_forum(**({**usual, **setting} if setting else {}))
    do_periodic_work(other)
    assert nina.get("/hello").status_int == 200


def test_the_emails_of_an_account_go_with_it(forum, confirmed):
    assert confirmed.put("/users/me", email=NEW, password=PASSWORD).status_int == 200
    with forum.database.session.begin() as db:
        now = clock.now()
        for address in ("NINA@example.org", "NINA@example.com", "other@example.org"):
            mails.enqueue(db, MailKind.PASSWORD_RESET, address, now, data={"url": "u"})
        accounts.delete(db, "nina")
    # An address that nobody has confirmed may be a stranger's.
    left = ["NINA@example.com", "other@example.org"]
    assert [one.recipient for one in queued_mails(forum.database)] == left


def test_who_has_not_confirmed_writes_as_soon_as_the_setting_is_off(nina, make_forum):
    later = make_forum(accounts__confirm_email="false")
    assert can_write(Caller(later.app, nina.token), later.node())


def test_who_has_not_confirmed_may_do_what_a_blocked_user_may():
    blocked, unconfirmed = (
        Identity(1, "nina", level, frozenset(), 1) for level in (Level.BLOCKED, Level.UNCONFIRMED)
    )
    assert principals_of(unconfirmed) == principals_of(blocked)


@pytest.mark.usefixtures("nina")
def test_an_account_that_is_used_just_before_it_ends_stays(forum):
    nina, long_ago = row_of(forum).id, clock.now() - timedelta(days=8)
    with pytest.raises(Conflict), forum.database.session.begin() as db:
        unconfirmed_accounts.end(db, long_ago, nina)
    assert row_of(forum).state == "active"


pytestmark = pytest.mark.both_databases


def test_an_address_to_which_no_more_links_may_be_sent_is_not_changed_to(confirmed, forum, visitor):
    visitor.log_in("nina")

    def change(email: str) -> int:
        return visitor.send("/settings/email", email=email, current_password=PASSWORD).status_int

    assert [change(NEW) for _ in range(5)] == [303] * 5
    assert change(GOOD["email"]) == 303
    assert change(NEW) == 429
    assert row_of(forum).unconfirmed_email is None


@pytest.mark.parametrize("is_page", [True, False])
def test_so_many_changes_of_an_address_an_hour_are_tried_whatever_comes_of_them(
    make_forum, is_page
):
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
    confirmed, forum, visitor, mail
):
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


def test_of_two_accounts_that_confirm_an_address_at_once_one_wins(forum, mail):
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


def test_a_deleted_account_keeps_no_address_and_gets_no_link(confirmed, forum, mail):
    before = len(mail())
    confirmed.put("/users/me", email=NEW, password=PASSWORD)
    with forum.database.session.begin() as db:
        accounts.delete(db, "nina")
    row = row_of(forum)
    assert (row.email, row.email_confirmed_at, row.unconfirmed_email) == (None, None, None)
    assert len(mail()) == before
