"""Email: queued, and delivered by a thread to a folder or a server."""

import logging
import smtplib
import socket
import threading
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from forumsvc.mail import FolderDelivery, MailQueue, SmtpDelivery, create_delivery
from forumsvc.settings import Settings, SettingsError
from tests.postgres_keeper import free_port

SENDER = "forum@example.org"
REQUIRED = {
    "site.environment": "development",
    "sqlalchemy.url": "sqlite:///x",
    "session.secret": "s" * 32,
}


class Server:
    """A mail server that stores its messages."""

    def __init__(self) -> None:
        self.received: list[tuple[str, list[str], bytes]] = []

    async def handle_DATA(  # noqa: N802 - aiosmtpd calls it so
        self, server: Any, session: Any, envelope: Any
    ) -> str:
        """Store a message."""
        self.received.append((envelope.mail_from, envelope.rcpt_tos, envelope.content))
        return "250 OK"


def _check(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
    right = LoginPassword(login=b"forum", password=b"secret")
    return AuthResult(success=data == right, handled=False)


@pytest.fixture
def smtp(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, int]]:
    """A mail server that accepts the login `forum` with `secret`, and its port."""
    # Otherwise both ends would look up their own name in the DNS.
    monkeypatch.setattr(socket, "getfqdn", lambda name="": "localhost")
    memory = Server()
    controller = Controller(
        memory,
        hostname="127.0.0.1",
        port=free_port(),
        auth_require_tls=False,
        authenticator=_check,
    )
    controller.start()
    yield memory, controller.port
    controller.stop()


def delivery(port: int, *, password: str) -> SmtpDelivery:
    """Return the delivery to that server."""
    return SmtpDelivery("127.0.0.1", port, "none", "forum", password, 10)


def test_a_server_gets_the_message_for_its_one_recipient(smtp: tuple[Server, int]) -> None:
    server, port = smtp
    mail_queue = MailQueue(delivery(port, password="secret"), SENDER)
    mail_queue.send("ann@example.org", "Grüße", "Zeile eins\nZeile zwei: https://x.example/?a=b")
    mail_queue.close()
    [(sender, recipients, content)] = server.received
    assert (sender, recipients) == (SENDER, ["ann@example.org"])
    message = message_from_bytes(content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    assert message["Subject"] == "Grüße"
    assert message["Date"]
    assert message["Message-ID"].endswith("@example.org>")
    assert "https://x.example/?a=b" in message.get_content()


def test_a_refusing_server_is_retried_and_then_given_up(
    smtp: tuple[Server, int], caplog: pytest.LogCaptureFixture
) -> None:
    server, port = smtp
    mail_queue = MailQueue(delivery(port, password="wrong"), SENDER, retry_delay=0)
    mail_queue.send("ann@example.org", "x", "y")
    mail_queue.wait()
    mail_queue.close()
    assert server.received == []
    assert len(caplog.records) == 3
    assert "ann@example.org" not in caplog.text


class Flaky:
    """A delivery that fails a number of times."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.delivered: list[EmailMessage] = []

    def deliver(self, message: EmailMessage) -> None:
        """Fail, or accept the message."""
        if self.failures:
            self.failures -= 1
            raise ConnectionRefusedError
        self.delivered.append(message)


def test_a_temporary_outage_loses_no_mail() -> None:
    flaky = Flaky(2)
    mail_queue = MailQueue(flaky, SENDER, retry_delay=0)
    mail_queue.send("ann@example.org", "x", "y")
    mail_queue.wait()
    mail_queue.close()
    assert len(flaky.delivered) == 1


def test_closing_does_not_wait_for_a_retry_and_logs_the_loss(
    caplog: pytest.LogCaptureFixture,
) -> None:
    flaky = Flaky(2)
    mail_queue = MailQueue(flaky, SENDER, retry_delay=3600)
    mail_queue.send("ann@example.org", "x", "y")
    mail_queue.close()
    assert flaky.delivered == []
    assert caplog.messages[-1] == "shutdown: 0 emails were sent, 1 are lost"


class Refusing:
    """A delivery that rejects every message with an error."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.attempts = 0

    def deliver(self, message: EmailMessage) -> None:
        self.attempts += 1
        raise self.error


@pytest.mark.parametrize(
    ("error", "attempts", "shown"),
    [
        (
            smtplib.SMTPRecipientsRefused({"ann@example.org": (550, b"no ann@example.org")}),
            1,
            "550",
        ),
        (smtplib.SMTPDataError(554, b"spam from ann@example.org"), 1, "SMTPDataError 554"),
        (smtplib.SMTPRecipientsRefused({"ann@example.org": (451, b"later")}), 3, "451"),
        (smtplib.SMTPAuthenticationError(535, b"no"), 3, "SMTPAuthenticationError 535"),
        (ConnectionRefusedError(), 3, "ConnectionRefusedError"),
    ],
)
def test_a_permanent_error_is_not_retried(
    caplog: pytest.LogCaptureFixture, error: Exception, attempts: int, shown: str
) -> None:
    refusing = Refusing(error)
    mail_queue = MailQueue(refusing, SENDER, retry_delay=0)
    mail_queue.send("ann@example.org", "x", "y")
    mail_queue.wait()
    mail_queue.close()
    assert (refusing.attempts, mail_queue.sent, mail_queue.failed) == (attempts, 0, 1)
    assert shown in caplog.messages[0]
    assert "@example.org> was not sent" in caplog.messages[0]
    assert "ann@example.org" not in caplog.text


def test_closing_makes_one_last_attempt() -> None:
    failing = threading.Event()

    class Once(Flaky):
        def deliver(self, message: EmailMessage) -> None:
            failing.set()
            super().deliver(message)

    once = Once(1)
    mail_queue = MailQueue(once, SENDER, retry_delay=3600)
    mail_queue.send("ann@example.org", "x", "y")
    assert failing.wait(60)
    mail_queue.close()
    assert len(once.delivered) == 1
    assert (mail_queue.sent, mail_queue.failed) == (1, 0)


def test_sending_does_not_block() -> None:
    opened = threading.Event()

    class Slow(Flaky):
        def deliver(self, message: EmailMessage) -> None:
            assert opened.wait(60)
            super().deliver(message)

    slow = Slow(0)
    mail_queue = MailQueue(slow, SENDER)
    mail_queue.send("ann@example.org", "x", "y")
    assert slow.delivered == []
    opened.set()
    mail_queue.close()
    assert len(slow.delivered) == 1


@pytest.mark.parametrize(
    "address", ["a,b@example.org", "a@b@c", "", "ann", "a\r\nBcc: b@example.org", "<a>@b>"]
)
def test_an_address_never_becomes_two_recipients(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    flaky = Flaky(0)
    mail_queue = MailQueue(flaky, SENDER)
    mail_queue.send(address, "x", "y")
    mail_queue.close()
    assert flaky.delivered == []
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_a_folder_gets_complete_files(tmp_path: Path) -> None:
    mail_queue = MailQueue(FolderDelivery(tmp_path / "new" / "mail"), SENDER)
    for number in range(3):
        mail_queue.send("ann@example.org", f"Number {number}", "text")
    mail_queue.close()
    files = sorted((tmp_path / "new" / "mail").iterdir())
    assert [file.suffix for file in files] == [".eml"] * 3


def test_the_settings_choose_the_delivery(tmp_path: Path) -> None:
    assert create_delivery(Settings(REQUIRED), tmp_path) is None
    folder = Settings({**REQUIRED, "mail.delivery": "folder", "mail.dir": "post"})
    assert create_delivery(folder, tmp_path) == FolderDelivery(tmp_path / "post")
    written = {"mail.delivery": "smtp", "mail.host": "mx", "site.url": "https://f.example"}
    chosen = create_delivery(Settings({**REQUIRED, **written}), tmp_path)
    assert isinstance(chosen, SmtpDelivery)
    assert (chosen.host, chosen.port, chosen.security) == ("mx", 25, "none")


def test_smtp_delivery_needs_the_site_url() -> None:
    with pytest.raises(SettingsError, match=r"^site\.url: missing"):
        Settings({**REQUIRED, "mail.delivery": "smtp"})
