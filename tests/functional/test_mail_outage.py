"""A mail server that is away, refuses all, or hangs: what is unread goes once when it is back."""

import smtplib
import socket
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest

from forumsvc.background.job_runner import JobRunner
from forumsvc.background.mail_sender import MailSender
from forumsvc.background.notification_mailer import NotificationMailer
from forumsvc.mail import SmtpDelivery
from forumsvc.models import Job, JobKind, MailKind
from forumsvc.services import mails
from tests.functional.background_jobs import periodic_works
from tests.functional.test_mail_sender import Outbox
from tests.functional.test_notification_mails import HOUR, MINUTE, SITE, Scene, read, text_of
from tests.system.process import wait_until

pytestmark = pytest.mark.both_databases

OUTAGES = {
    "away": ConnectionRefusedError(),
    "refuses all": smtplib.SMTPConnectError(421, b"not now"),
    "refuses each": smtplib.SMTPDataError(451, b"later"),
    "hangs": TimeoutError(),
}


class Away(Outbox):
    """A server in trouble until `error` is None; taken: what it has taken."""

    def __init__(self) -> None:
        super().__init__()
        self.error: OSError | None = None
        self.taken: list[Any] = []

    def deliver(self, message: Any) -> int:
        if self.error is not None:
            self.errors = [self.error]
        answer = super().deliver(message)
        self.taken.append(message)
        return answer


class OutageScene(Scene):
    """Ann gets all at once; cat a digest a day, and no other email."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.outbox = self.server = Away()
        settings = self.forum.registry.forum_settings
        mailer = NotificationMailer(self.forum.database, settings, self.outbox)
        self.runner = JobRunner(self.forum.database, [mailer], 0.01)
        off = {f"mail_{about}": "off" for about in ("mention", "reply", "follow", "moderation")}
        self.cat = self.reader("cat", **off)
        self.cat.put("/users/me/mail", digest="daily")

    def pass_hours(self, hours: int) -> None:
        """Let time pass, with all that the worker does in it."""
        for _ in range(hours):
            self.now += HOUR
            for _ in periodic_works(self.forum)["digests"].run():
                pass
            self.after(timedelta(0))


@pytest.fixture
def scene(make_forum: Any, monkeypatch: pytest.MonkeyPatch) -> OutageScene:
    settings = {"site__url": SITE, "mail__delivery": "folder", "mail__sender": "f@example.org"}
    return OutageScene(make_forum(**settings), monkeypatch)


@pytest.mark.parametrize("trouble", OUTAGES)
def test_after_a_day_what_is_unread_goes_once_and_nothing_of_what_was_read_meanwhile(
    scene, trouble
):
    unread, seen = (scene.topic(scene.ann, title) for title in ("Unread", "Seen"))
    followed = scene.topic(scene.bob, "Followed")
    scene.ann.post(f"/topics/{followed}/follow")
    of_cat = scene.topic(scene.cat, "Of cat")
    scene.server.error = OUTAGES[trouble]
    links = []
    for hour in range(25):
        said = f"Words {hour}."
        topics = (unread, followed, of_cat)
        links += [(topic, scene.forum.reply(scene.bob, topic, said)) for topic in topics]
        if hour < 12:
            scene.forum.reply(scene.bob, seen, f"Nothing {hour}.")
        if hour == 12:
            scene.ann.post(f"/topics/{seen}/read")
        scene.pass_hours(1)
    assert scene.server.taken == []
    scene.server.error = None
    scene.pass_hours(30)
    taken = [read(message) for message in scene.server.taken]
    assert len({message["Message-ID"] for message in taken}) == len(taken)
    assert not [one for one in taken if "Seen" in one["Subject"] or "Nothing" in text_of(one)]
    to_ann = [text_of(message) for message in taken if message["To"] == "ann@example.org"]
    to_cat = [text_of(message) for message in taken if message["To"] == "cat@example.org"]
    told = [sum(f"/replies/{reply}\n" in one for one in to_ann) for topic, reply in links]
    by_topic = {
        topic: [number for (of, _), number in zip(links, told, strict=True) if of == topic]
        for topic in (unread, followed)
    }
    for numbers in by_topic.values():
        # Each once; of more than twenty in an email the number.
        assert set(numbers) <= {0, 1}
        assert numbers.count(0) <= 5
    # One that may have been taken is repeated as it was: the next day's tells of what came later.
    later = int(trouble == "hangs")
    assert [one.count("/replies/") for one in to_cat] == [20, 1][: 1 + later]
    assert f"not shown here: {5 - later}" in to_cat[0]


def test_a_server_that_hangs_holds_up_emails_of_its_kind_alone_and_no_longer_than_its_time_out(
    scene,
):
    scene.forum.reply(scene.bob, scene.topic(scene.ann), "A reply")
    scene.now += 3 * MINUTE
    for _ in periodic_works(scene.forum)["notification-mails"].run():
        pass
    with scene.forum.database.session.begin() as db:
        data = {"url": f"{SITE}/password/reset"}
        mails.enqueue(db, MailKind.PASSWORD_RESET, "ann@example.org", scene.now, data=data)
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        database, settings = scene.forum.database, scene.forum.registry.forum_settings
        address = ("127.0.0.1", hanging.getsockname()[1])
        delivery = SmtpDelivery(*address, "none", "", "", 1, "forum.example.org")
        mailer = NotificationMailer(database, settings, delivery)
        runner = JobRunner(database, [mailer, MailSender(database, settings, scene.outbox)], 0.01)
        with closing(runner):
            runner.run()
            wait_until(lambda: scene.server.taken, "the link that sets a password")
            wait_until(lambda: not runner.running(), "the end by the time-out")
    [job] = [row for row in scene.rows(Job) if row.kind == JobKind.NOTIFICATION_MAIL]
    assert (job.state, job.error, job.locked_until) == ("waiting", "SMTPServerDisconnected", None)
    assert job.due_at == scene.now + MINUTE
