"""Queued emails are sent by the background worker, retried, and given up; none is lost."""

import logging
import smtplib
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.mail_sender import MailSender
from forumsvc.models import Job, JobKind, JobState, MailKind
from forumsvc.services import mails
from tests.functional.background_jobs import do_periodic_work
from tests.functional.forum import Forum

pytestmark = pytest.mark.both_databases

URL = "https://forum.example.org/password/reset"
ADDRESS = "ann@example.org"


class Outbox:
    """A delivery that keeps the messages; the next ones fail with `errors`, one each."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.errors: list[BaseException] = []

    def deliver(self, message: EmailMessage) -> int:
        self.messages.append(message)
        if self.errors:
            raise self.errors.pop(0)
        return 250


class Scene:
    """Ann has asked for a link; the sender's clock is `now`."""

    def __init__(self, forum: Forum, monkeypatch: pytest.MonkeyPatch) -> None:
        self.forum = forum
        self.now = clock.now()
        monkeypatch.setattr(clock, "now", lambda: self.now)
        forum.change(forum.person("ann").id, email=ADDRESS, email_key=ADDRESS)
        self.outbox = Outbox()
        self.sender = MailSender(forum.database, forum.registry.forum_settings, self.outbox)
        self.runner = JobRunner(forum.database, [self.sender], 0.01)
        self.enqueue(ADDRESS)

    def enqueue(self, address: str) -> None:
        with self.forum.database.session.begin() as db:
            mails.enqueue(db, MailKind.PASSWORD_RESET, address, self.now, data={"url": URL})

    def run(self) -> int:
        """Send what is due; return how many attempts there were."""
        return self.runner.run_due(JobKind.MAIL)

    def rows(self) -> list[Any]:
        with self.forum.database.reads.connect() as db:
            return list(db.execute(select(Job.__table__).order_by(Job.id)))


@pytest.fixture
def scene(forum: Forum, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(forum, monkeypatch)


def test_an_email_is_sent_once_and_neither_its_row_nor_the_log_has_a_secret(scene, caplog):
    caplog.set_level(logging.INFO)
    assert scene.run() == 1
    assert scene.run() == 0
    [message] = scene.outbox.messages
    assert message["To"] == ADDRESS
    token = message.get_content().partition("reset_token=")[2].split()[0]
    assert len(token) > 40
    [row] = scene.rows()
    assert (row.state, row.attempts, row.error) == (JobState.DONE, 1, None)
    assert token not in str(row)
    [line] = [text for text in caplog.messages if text.startswith("email")]
    assert "250" in line
    assert message["Message-ID"] in line
    assert ADDRESS not in caplog.text


LATER = [
    ConnectionRefusedError(),
    smtplib.SMTPDataError(451, b"later"),
    smtplib.SMTPSenderRefused(530, b"log in first", "forum@example.org"),
]


@pytest.mark.parametrize("error", LATER)
def test_a_failed_attempt_is_repeated_with_the_same_id_after_growing_pauses(scene, error):
    scene.outbox.errors = [error] * 2
    for pause in MailSender.pauses[:2]:
        assert scene.run() == 1
        scene.now += pause - timedelta(seconds=1)
        assert scene.run() == 0
        scene.now += timedelta(seconds=1)
    assert scene.run() == 1
    first, second, third = scene.outbox.messages
    assert first["Message-ID"] == second["Message-ID"] == third["Message-ID"]
    assert bytes(first) == bytes(third)
    assert scene.rows()[0].state == JobState.DONE


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (smtplib.SMTPRecipientsRefused({ADDRESS: (550, b"no ann@example.org")}), "550"),
        (smtplib.SMTPDataError(554, b"spam from ann@example.org"), "554"),
        (smtplib.SMTPSenderRefused(550, b"not for ann@example.org", "forum@example.org"), "550"),
    ],
)
def test_what_a_server_refuses_for_good_is_not_repeated_and_logged_without_the_address(
    scene, caplog, error, shown
):
    scene.outbox.errors = [error]
    scene.run()
    scene.now += timedelta(days=1)
    scene.run()
    assert len(scene.outbox.messages) == 1
    assert scene.rows()[0].state == JobState.FAILED
    assert shown in caplog.text
    assert f"mail job {scene.rows()[0].id} " in caplog.text
    assert ADDRESS not in caplog.text


def test_an_address_that_no_email_can_name_is_given_up_at_once_with_one_line(scene, caplog):
    scene.run()
    address = "üser@example.org"
    scene.forum.change(scene.forum.person("eve").id, email=address, email_key=address)
    scene.enqueue(address)
    assert scene.run() == 1
    assert len(scene.outbox.messages) == 1
    [row] = [row for row in scene.rows() if row.state == JobState.FAILED]
    assert row.error == "the address has other letters than ASCII before the @"
    [line] = [one for one in caplog.messages if "has failed" in one]
    assert "it is given up" in line
    assert address not in line


def test_an_account_of_before_with_another_domain_gets_its_link(scene):
    columns = {"email": "eve@Faß.de", "email_key": "eve@xn--fa-hia.de"}
    scene.forum.change(scene.forum.person("eve").id, **columns)
    scene.enqueue("EVE@xn--fa-hia.de")
    scene.run()
    assert scene.outbox.messages[-1]["To"] == "eve@xn--fa-hia.de"


class Killed(BaseException):
    """The process ends here."""


def test_an_email_whose_sender_dies_is_sent_again_with_the_same_id(scene):
    scene.outbox.errors = [Killed()]
    with pytest.raises(Killed):
        scene.run()
    assert scene.run() == 0
    scene.now += MailSender.lock
    assert scene.run() == 1
    first, second = scene.outbox.messages
    assert first["Message-ID"] == second["Message-ID"]


@pytest.mark.parametrize("address", ["nobody@example.org", "a\r\nBcc: b@example.org"])
def test_an_address_of_no_account_is_sent_nothing_and_not_kept(scene, address):
    scene.run()
    scene.enqueue(address)
    assert scene.run() == 1
    assert len(scene.outbox.messages) == 1
    assert [mails.of_job(row).recipient for row in scene.rows()] == [ADDRESS]


def test_a_link_that_has_expired_is_not_sent(scene):
    scene.now += timedelta(hours=1)
    scene.run()
    assert scene.outbox.messages == []
    assert scene.rows() == []


def test_emails_are_deleted_two_weeks_after_they_are_done_or_were_to_be_sent(scene):
    scene.run()
    scene.now += timedelta(days=10)
    scene.enqueue(ADDRESS)
    do_periodic_work(scene.forum)
    assert len(scene.rows()) == 2
    scene.now += timedelta(days=4)
    do_periodic_work(scene.forum)
    assert [row.state for row in scene.rows()] == [JobState.WAITING]
    scene.now += timedelta(days=10)
    do_periodic_work(scene.forum)
    assert scene.rows() == []
