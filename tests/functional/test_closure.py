"""Closing one's account: asked for, taken back, and at the end erased once."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.background import maintenance
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.mail_sender import MailSender
from forumsvc.mail import Delivery
from forumsvc.models import AuditRecord, Job, JobKind, MailKind, User
from forumsvc.process.passwords import hash_password
from forumsvc.services.accounts import closures
from forumsvc.services.accounts.erasure import erasure
from tests.functional.background_jobs import do_periodic_work
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person, content
from tests.functional.queued_mails import queued_mails
from tests.functional.threads import alone, together

pytestmark = pytest.mark.both_databases

CLOSURE = "/users/me/closure"
PASSWORD = "tangled-wire-77"
ASKED = {"posts": "blank", "password": PASSWORD}
EMAIL = "alice@example.org"


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    return make_forum(mail__delivery="folder", mail__requests_per_hour="1000")


@pytest.fixture
def alice(forum: Forum) -> Person:
    person = forum.person("alice")
    email = {"email": EMAIL, "email_key": EMAIL, "email_confirmed_at": clock.now()}
    forum.change(person.id, password_hash=hash_password(PASSWORD), **email)
    return person


def closes_at(person: Person) -> Any:
    return content(person.get("/users/me"))["closes_at"]


def at(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    """Let it be a later time for the background worker."""
    monkeypatch.setattr(maintenance.clock, "now", lambda: moment)


def end_of(forum: Forum, person: Person) -> datetime:
    with forum.database.reads.connect() as db:
        moment = db.scalar(select(User.closes_at).where(User.id == person.id))
    assert moment is not None
    return moment


def close_at_its_end(forum: Forum, person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a person ask for the closure, and all the days until it pass."""
    person.post(CLOSURE, **ASKED)
    at(monkeypatch, end_of(forum, person))


def state(forum: Forum, person: Person) -> str:
    with forum.database.reads.connect() as db:
        return db.scalars(select(User.state).where(User.id == person.id)).one()


def actions(forum: Forum) -> list[str]:
    with forum.database.reads.connect() as db:
        found = db.scalars(select(AuditRecord.action).order_by(AuditRecord.id)).all()
        return [one for one in found if one.startswith("user.")]


def account_jobs(forum: Forum) -> list[Any]:
    with forum.database.reads.connect() as db:
        return list(db.scalars(select(Job.data).where(Job.kind == JobKind.ACCOUNT)))


def test_it_closes_after_the_days_and_only_its_owner_sees_when(forum, alice, bob):
    assert closes_at(alice) is None
    before = clock.now()
    closed = content(alice.post(CLOSURE, **ASKED))["closes_at"]
    assert closed == closes_at(alice) == clock.rfc3339(end_of(forum, alice))
    assert timedelta(days=13) < end_of(forum, alice) - before < timedelta(days=15)
    assert content(bob.get("/users/alice"))["closes_at"] is None
    [mail] = queued_mails(forum.database)
    assert (mail.kind, mail.recipient) == (MailKind.ACCOUNT_CLOSING, EMAIL)
    assert mail.data["day"] == end_of(forum, alice).date().isoformat()
    assert actions(forum) == ["user.closure_requested"]


def test_a_wrong_password_and_other_posts_close_nothing(forum, alice):
    for changed in ({"password": "not theirs"}, {"posts": "delete"}, {"posts": ""}):
        refused = alice.post(CLOSURE, **{**ASKED, **changed})
        assert (refused.status_int, next(iter(changed)) in refused.json["error"]) == (400, True)
    assert closes_at(alice) is None


def test_a_second_click_moves_nothing_and_sends_no_second_email(forum, alice):
    answers = together([partial(alone(forum, alice).post, CLOSURE, **ASKED) for _ in range(3)])
    assert [answer.status_int for answer in answers] == [200] * 3
    first = closes_at(alice)
    assert content(alice.post(CLOSURE, **{**ASKED, "posts": "keep"}))["closes_at"] == first
    assert len(queued_mails(forum.database)) == 1
    assert actions(forum) == ["user.closure_requested"]


def test_who_may_only_read_closes_and_keeps_their_account(forum, alice):
    forum.change(alice.id, state="blocked", blocked_at=clock.now())
    assert alice.post(CLOSURE, **ASKED).status_int == 200
    for _ in range(2):
        assert alice.delete(CLOSURE).status_int == 200
    assert closes_at(alice) is None
    assert actions(forum) == ["user.closure_requested", "user.closure_withdrawn"]


def test_the_last_admin_stays_and_stops_nobody_else(forum, alice, monkeypatch):
    chief = forum.person("chief", role="admin")
    forum.change(chief.id, password_hash=hash_password(PASSWORD))
    assert "last active admin" in chief.post(CLOSURE, **ASKED).json["error"]
    other = forum.person("other", role="admin")
    assert chief.post(CLOSURE, **ASKED).status_int == 200
    forum.change(other.id, role="member")
    assert alice.post(CLOSURE, **ASKED).status_int == 200
    at(monkeypatch, end_of(forum, alice))
    do_periodic_work(forum)
    assert (state(forum, chief), state(forum, alice)) == ("active", "deleted")


def test_an_account_that_cannot_be_closed_stops_nobody_else(forum, alice, bob, monkeypatch):
    alice.post(CLOSURE, **ASKED)
    forum.change(bob.id, closes_at=end_of(forum, alice) - timedelta(days=1), closure_posts="burn")
    at(monkeypatch, end_of(forum, alice))
    do_periodic_work(forum)
    assert (state(forum, bob), state(forum, alice)) == ("active", "deleted")


def test_it_is_erased_at_the_end_and_not_a_second_before(forum, alice, monkeypatch):
    alice.post(CLOSURE, **ASKED)
    end = end_of(forum, alice)
    at(monkeypatch, end - timedelta(seconds=1))
    do_periodic_work(forum)
    assert state(forum, alice) == "active"
    at(monkeypatch, end)
    do_periodic_work(forum)
    do_periodic_work(forum)
    assert state(forum, alice) == "deleted"
    [job] = account_jobs(forum)
    assert job["posts"] == "blank"
    assert actions(forum)[1:] == ["user.deleted", "user.erased"]
    [mail] = queued_mails(forum.database)
    assert (mail.kind, mail.recipient) == (MailKind.ACCOUNT_CLOSED, EMAIL)


def test_who_takes_it_back_when_the_worker_has_begun_stays(forum, alice, monkeypatch):
    close_at_its_end(forum, alice, monkeypatch)
    due = closures.due

    def then_taken_back(*given: Any) -> Any:
        found = due(*given)
        if found:
            with forum.database.session.begin() as db:
                assert closures.take_back(db, clock.now(), alice.id)
        return found

    monkeypatch.setattr(closures, "due", then_taken_back)
    do_periodic_work(forum)
    assert state(forum, alice) == "active"
    assert account_jobs(forum) == []


def test_a_worker_that_dies_in_the_middle_leaves_all_or_nothing(forum, alice, monkeypatch):
    close_at_its_end(forum, alice, monkeypatch)

    def killed(*given: Any, **named: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(closures.mails, "enqueue", killed)
        with pytest.raises(SystemExit):
            do_periodic_work(forum)
    assert state(forum, alice) == "active"
    do_periodic_work(forum)
    assert state(forum, alice) == "deleted"
    assert len(account_jobs(forum)) == 1


class _Refusing(Delivery):
    """A mail server. failure: raised once for each email."""

    def __init__(self, failure: Exception | None) -> None:
        self.failure = failure

    def deliver(self, message: Any) -> None:
        if self.failure is not None:
            raise self.failure


@pytest.mark.parametrize("failure", [None, ValueError("no such mailbox")])
def test_the_last_email_leaves_no_address_behind(forum, alice, monkeypatch, failure):
    close_at_its_end(forum, alice, monkeypatch)
    do_periodic_work(forum)
    sender = MailSender(forum.database, forum.registry.forum_settings, _Refusing(failure))
    sender.sends_as = None
    assert JobRunner(forum.database, [sender], 1.0).run_due(JobKind.MAIL) == 1
    assert queued_mails(forum.database) == []


def test_an_erasure_by_an_administrator_ends_a_closure(forum, alice):
    alice.post(CLOSURE, **ASKED)
    with forum.database.session.begin() as db:
        posts = erasure.PostsErasure.KEEP
        erasure.erase_user(db, None, clock.now(), alice.id, posts=posts, secret="s")
    with forum.database.reads.connect() as db:
        assert closures.due(db, clock.now() + timedelta(days=30)) == []
