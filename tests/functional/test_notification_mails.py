"""Emails about what happened: one a topic and hour, of what is unread, to whom it concerns."""

import smtplib
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest
from sqlalchemy import select, update

from forumsvc import clock
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.notification_mailer import NotificationMailer
from forumsvc.models import Job, JobKind, Notification, User
from forumsvc.services.accounts import email_confirmation
from tests.functional.background_jobs import periodic_works
from tests.functional.forum import Forum, Person, add_followers
from tests.functional.test_mail_sender import Outbox

pytestmark = pytest.mark.both_databases

SITE = "https://forum.example.org"
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


class Killed(BaseException):
    """The process dies."""


class Scene:
    """A forum whose clock stands still; ann gets all emails at once."""

    def __init__(self, forum: Forum, monkeypatch: pytest.MonkeyPatch) -> None:
        self.forum = forum
        self.now = clock.now()
        monkeypatch.setattr(clock, "now", lambda: self.now)
        self.outbox = Outbox()
        mailer = NotificationMailer(forum.database, forum.registry.forum_settings, self.outbox)
        self.runner = JobRunner(forum.database, [mailer], 0.01)
        self.node = forum.node()
        self.ann = self.reader("ann")
        self.bob = self.person("bob")

    def person(self, login: str, **options: Any) -> Person:
        """Add a user whose token outlives the test."""
        person = self.forum.person(login, **options)
        person.token = self.forum.token(person.id, ttl=30 * 86400)
        return person

    def reader(self, login: str, **columns: Any) -> Person:
        person = self.person(login)
        values = {f"mail_{about}": "instant" for about in ("mention", "reply", "follow")}
        address = f"{login}@example.org"
        values |= {"email": address, "email_key": address, "mail_moderation": "instant"}
        self.forum.change(person.id, **{"email_confirmed_at": self.now, **values, **columns})
        return person

    def topic(self, author: Person, title: str = "A title", body: str = "A body") -> int:
        return self.forum.topic(author, self.node, title, body)

    def after(self, pause: timedelta) -> list[EmailMessage]:
        """Let time pass, do the work, and return the emails that were sent, as they are read."""
        self.now += pause
        works = periodic_works(self.forum)
        for name in ("notification-mails", "mails-again", "notification-mails"):
            for _ in works[name].run():
                pass
        before = len(self.outbox.messages)
        self.runner.run_due(JobKind.NOTIFICATION_MAIL)
        return [read(message) for message in self.outbox.messages[before:]]

    def rows(self, model: Any) -> list[Any]:
        with self.forum.database.reads.connect() as db:
            return list(db.execute(select(model.__table__).order_by(model.id)))


def read(message: EmailMessage) -> EmailMessage:
    """Return a message as a program reads it."""
    parsed = message_from_bytes(bytes(message), policy=policy.default)
    assert isinstance(parsed, EmailMessage)
    assert not parsed.defects
    return parsed


def text_of(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


@pytest.fixture
def scene(make_forum: Any, monkeypatch: pytest.MonkeyPatch) -> Scene:
    settings = {"site__url": SITE, "mail__delivery": "folder", "mail__sender": "f@example.org"}
    return Scene(make_forum(**settings), monkeypatch)


def test_many_replies_are_one_email_after_three_minutes_and_the_next_an_hour_later(scene):
    topic = scene.topic(scene.ann)
    for number in range(30):
        scene.forum.reply(scene.bob, topic, f"Reply {number}")
    assert scene.after(2 * MINUTE) == []
    [message] = scene.after(MINUTE)
    assert text_of(message).count("bob replied in") == 20
    assert "not shown here: 10" in text_of(message)
    scene.forum.reply(scene.bob, topic, "One more")
    assert scene.after(30 * MINUTE) == []
    [later] = scene.after(31 * MINUTE)
    assert "One more" in text_of(later)
    assert "Reply 29" not in text_of(later)
    assert scene.after(5 * HOUR) == []
    assert message["References"] == later["References"]
    assert message["Message-ID"] != later["Message-ID"]


def test_a_follower_who_has_not_read_is_told_of_further_replies_an_hour_later(scene):
    topic = scene.topic(scene.bob)
    scene.ann.post(f"/topics/{topic}/follow")
    scene.forum.reply(scene.bob, topic, "First")
    scene.forum.reply(scene.bob, topic, "Second")
    [message] = scene.after(3 * MINUTE)
    assert "First" in text_of(message)
    assert "Second" in text_of(message)
    scene.now += MINUTE
    scene.forum.reply(scene.bob, topic, "Third")
    assert scene.after(MINUTE) == []
    [later] = scene.after(HOUR)
    assert "Third" in text_of(later)
    assert "Second" not in text_of(later)
    assert scene.after(HOUR) == []


def test_a_reply_that_is_committed_only_after_an_email_was_made_is_in_the_next_one(scene):
    topic = scene.topic(scene.bob)
    scene.ann.post(f"/topics/{topic}/follow")
    scene.forum.reply(scene.bob, topic, "First")
    assert len(scene.after(3 * MINUTE)) == 1
    scene.now -= timedelta(seconds=5)
    scene.forum.reply(scene.bob, topic, "Late")
    scene.now += timedelta(seconds=5)
    [later] = scene.after(HOUR)
    assert "Late" in text_of(later)
    assert "First" not in text_of(later)


def test_a_mention_in_a_followed_topic_is_one_email_and_stops_mentions_alone(scene):
    topic = scene.topic(scene.bob)
    scene.ann.post(f"/topics/{topic}/follow")
    scene.forum.reply(scene.bob, topic, "Hear, @ann")
    [message] = scene.after(3 * MINUTE)
    assert "bob mentioned you in" in text_of(message)
    assert "replied" not in text_of(message)
    assert "about=mention" in message["List-Unsubscribe"]


@pytest.mark.parametrize("act", ["read", "delete", "ban", "off", "block", "unconfirm"])
def test_what_is_over_before_it_is_due_is_not_sent(scene, act):
    topic = scene.topic(scene.ann)
    reply = scene.forum.reply(scene.bob, topic, "To @ann")
    chief = scene.forum.person("chief", role="maintainer")
    match act:
        case "read":
            scene.ann.post("/notifications/read_all")
        case "delete":
            scene.bob.delete(f"/replies/{reply}")
        case "ban":
            chief.post(f"/topics/{topic}/action", type="ban")
            scene.ann.put("/users/me/mail", moderation="off")
        case "off":
            scene.ann.put("/users/me/mail", mention="off", reply="off")
        case "block":
            scene.ann.post("/users/bob/block")
        case "unconfirm":
            scene.forum.change(scene.ann.id, email_confirmed_at=None)
    assert scene.after(3 * MINUTE) == []
    assert scene.after(2 * HOUR) == []
    assert all(row.mail_at is None for row in scene.rows(Notification))


def test_a_reply_deleted_between_others_is_not_in_the_email(scene):
    topic = scene.topic(scene.ann)
    scene.forum.reply(scene.bob, topic, "Stays")
    gone = scene.forum.reply(scene.bob, topic, "Goes away")
    scene.bob.delete(f"/replies/{gone}")
    [message] = scene.after(3 * MINUTE)
    assert "Stays" in text_of(message)
    assert "Goes away" not in bytes(message).decode()


def test_hourly_waits_an_hour_and_without_instant_all_do(scene, make_forum):
    scene.ann.put("/users/me/mail", reply="hourly")
    topic = scene.topic(scene.ann)
    scene.forum.reply(scene.bob, topic)
    assert scene.after(59 * MINUTE) == []
    assert len(scene.after(MINUTE)) == 1
    settings = scene.forum.registry.forum_settings._values
    before, settings["mail.allow_instant"] = settings["mail.allow_instant"], False
    try:
        assert scene.ann.put("/users/me/mail", reply="instant").status_int == 400
        assert scene.ann.get("/users/me/mail").json["mention"] == "hourly"
        other = scene.topic(scene.ann)
        scene.forum.reply(scene.bob, other, "@ann")
        assert scene.after(59 * MINUTE) == []
        assert len(scene.after(MINUTE)) == 1
    finally:
        settings["mail.allow_instant"] = before


HOSTILE = [
    "=?utf-8?q?Hello=0D=0ABcc:_x@example.org?=",
    "<script>alert(1)</script> & <b>",
    "標題 " * 60,
    "عنوان: x, <y@example.org>",
]


@pytest.mark.parametrize("title", HOSTILE)
def test_titles_and_names_are_inert_in_headers_and_both_parts(scene, title):
    scene.forum.change(scene.bob.id, name=title[:90])
    topic = scene.topic(scene.ann, title)
    scene.forum.reply(scene.bob, topic, f"<img src=x onerror=y> {title}")
    [message] = scene.after(3 * MINUTE)
    assert sorted(set(message.keys())) == sorted(message.keys())
    assert message["Bcc"] is None
    assert " ".join(title.split())[:150] in message["Subject"]
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Message-ID"].endswith("@forum.example.org>")
    unsubscribe = message["List-Unsubscribe"]
    assert unsubscribe.startswith(f"<{SITE}/mail/unsubscribe?")
    assert unsubscribe.endswith(">")
    assert not set(' \t\r\n"') & set(unsubscribe)
    html = message.get_body(("html",)).get_content()
    assert "<img" not in html
    assert "<script" not in html
    first = text_of(message).split("\n\n")[0]
    assert f"{SITE}/topics/{topic}" in first
    assert "nobody" in first


def test_the_email_is_in_the_language_of_the_person(scene):
    assert scene.ann.put("/users/me", locale="zh").json["locale"] == "zh"
    assert scene.bob.get("/users/ann").json["locale"] is None
    topic = scene.topic(scene.ann)
    scene.forum.reply(scene.bob, topic)
    [message] = scene.after(3 * MINUTE)
    assert "回复" in text_of(message)
    assert scene.ann.put("/users/me", locale="").json["locale"] is None
    assert scene.ann.put("/users/me", locale="xx").status_int == 400


def test_a_process_that_dies_while_it_sends_sends_the_same_email_again(scene):
    topic = scene.topic(scene.ann)
    scene.forum.reply(scene.bob, topic, "Before")
    scene.outbox.errors = [Killed()]
    with pytest.raises(Killed):
        scene.after(3 * MINUTE)
    scene.now += MINUTE
    scene.forum.reply(scene.bob, topic, "After")
    [again] = scene.after(5 * MINUTE)
    assert read(scene.outbox.messages[0])["Message-ID"] == again["Message-ID"]
    assert "After" not in text_of(again)
    [later] = scene.after(HOUR)
    assert "After" in text_of(later)
    assert "Before" not in text_of(later)


def test_a_server_that_is_away_gets_one_email_with_all_that_is_unread(scene):
    topic = scene.topic(scene.ann)
    scene.forum.reply(scene.bob, topic, "First")
    for number in range(30):
        scene.outbox.errors = [ConnectionRefusedError()]
        scene.after(HOUR)
        scene.forum.reply(scene.bob, topic, f"Later {number}")
    scene.outbox.errors = []
    [message] = scene.after(HOUR)
    assert text_of(message).count("bob replied in") == 20
    assert "not shown here: 11" in text_of(message)
    assert scene.after(HOUR) == []


def test_after_two_days_an_email_is_given_up(scene):
    topic = scene.topic(scene.ann)
    scene.forum.reply(scene.bob, topic, "First")
    for _ in range(51):
        scene.outbox.errors = [ConnectionRefusedError()]
        scene.after(HOUR)
    assert scene.after(HOUR) == []
    [job] = [row for row in scene.rows(Job) if row.kind == JobKind.NOTIFICATION_MAIL]
    assert job.state == "failed"
    scene.forum.reply(scene.bob, topic, "Anew")
    [message] = scene.after(3 * MINUTE)
    assert "Anew" in text_of(message)


def test_no_more_than_so_many_a_minute_those_first_who_were_first(scene):
    settings = scene.forum.registry.forum_settings._values
    settings["mail.per_minute"] = 7
    try:
        add_followers(scene.forum.database, scene.bob, 20)
        readers = [scene.reader(f"reader{number}") for number in range(20)]
        for reader in readers:
            reader.post("/users/bob/follow")
        scene.topic(scene.bob)
        sent = [len(scene.after(3 * MINUTE))]
        sent += [len(scene.after(MINUTE)) for _ in range(3)]
        assert sent == [7, 7, 6, 0]
    finally:
        settings["mail.per_minute"] = None


def test_of_very_many_followers_each_gets_one_email_in_the_order_in_which_they_are_due(
    make_forum, monkeypatch
):
    settings = {"site__url": SITE, "mail__delivery": "folder", "mail__sender": "f@example.org"}
    settings |= {"mail__per_minute": "40", "notifications__inline_recipients": "10000"}
    scene = Scene(make_forum(**settings), monkeypatch)
    fans = add_followers(scene.forum.database, scene.bob, 1_200)
    address = User.login + "@example.org"
    reached = {"email": address, "email_key": address, "email_confirmed_at": scene.now}
    with scene.forum.database.session.begin() as db:
        wanted = {**reached, "mail_follow": "instant"}
        db.execute(update(User).where(User.id.in_(fans)).values(wanted))
    scene.topic(scene.bob)
    scene.now += MINUTE
    scene.topic(scene.bob, "Another title")
    sent = [*scene.after(3 * MINUTE), *scene.after(MINUTE)]
    assert len(sent) == 80
    jobs = [row for row in scene.rows(Job) if row.kind == JobKind.NOTIFICATION_MAIL]
    assert len(jobs) == 2_400
    assert [row.due_at for row in jobs] == sorted(row.due_at for row in jobs)
    assert len({message["To"] for message in sent}) == 80
    assert {message["Subject"] for message in sent} == {"Forum: A title"}


def test_what_moderators_decide_is_told_but_not_what_has_an_email_of_its_own(scene):
    chief = scene.forum.person("chief", role="maintainer", scope="read write moderate")
    topic = scene.topic(scene.ann)
    chief.post(f"/topics/{topic}/action", type="close", reason="It is settled")
    [message] = scene.after(3 * MINUTE)
    assert "It is settled" in text_of(message)
    answer = chief.post(f"/users/{scene.ann.id}/silence", reason="Enough", category="other")
    assert answer.status_int in (200, 400), answer.text
    assert scene.after(2 * HOUR) == []


def refused(code: int = 550) -> smtplib.SMTPRecipientsRefused:
    return smtplib.SMTPRecipientsRefused({"ann@example.org": (code, b"no")})


def mail_of(scene: Scene, error: BaseException | None) -> int:
    """Cause an email to ann; return how many were tried."""
    scene.outbox.errors = [error] if error else []
    scene.forum.reply(scene.bob, scene.topic(scene.ann), "A reply")
    tried = len(scene.after(3 * MINUTE))
    scene.outbox.errors = []
    return tried


def test_three_refused_emails_in_a_row_end_it_and_a_confirmed_address_begins_it_again(scene):
    assert [mail_of(scene, error) for error in (refused(), refused(), None, refused())] == [1] * 4
    assert scene.ann.get("/users/me/mail").json["refused_at"] is None
    later = [smtplib.SMTPDataError(554, b"spam"), refused(), refused(551)]
    assert [mail_of(scene, error) for error in later] == [1] * 3
    assert scene.ann.get("/users/me/mail").json["refused_at"] is not None
    assert mail_of(scene, None) == 0
    with scene.forum.database.session.begin() as db:
        email_confirmation.change_as_admin(db, scene.ann.id, "new@example.org", scene.now)
    assert scene.ann.get("/users/me/mail").json["refused_at"] is None
    assert mail_of(scene, None) == 1


def test_a_refused_recipient_is_not_tried_again(scene):
    assert mail_of(scene, refused()) == 1
    assert scene.after(2 * HOUR) == []
