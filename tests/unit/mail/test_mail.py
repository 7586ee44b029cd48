"""Email: messages, their texts, and their delivery to a folder or a server."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import EmailMessage
from pathlib import Path
from smtplib import SMTPException
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from forumsvc.mail import FolderDelivery, SmtpDelivery, texts
from forumsvc.mail.delivery import create_delivery
from forumsvc.mail.failures import is_permanent
from forumsvc.mail.message import NoAsciiAddress, create_message
from forumsvc.models import MailKind
from forumsvc.settings import Settings
from forumsvc.text.languages import LANGUAGES
from tests.postgres_keeper import free_port

SENDER = "forum@example.org"
SENT_AT = datetime(2026, 11, 21, 1, 33, tzinfo=UTC)
REQUIRED = {
    "site.environment": "development",
    "sqlalchemy.url": "sqlite:///x",
    "session.secret": "s" * 32,
}
SMTP = {"mail.delivery": "smtp", "mail.host": "mx", "site.url": "https://f.example"}


class Server:
    """A mail server that stores its messages."""

    def __init__(self) -> None:
        self.received: list[tuple[str, list[str], bytes]] = []
        self.client_name = ""

    async def handle_DATA(  # noqa: N802 - aiosmtpd calls it so
        self, server: Any, session: Any, envelope: Any
    ) -> str:
        self.received.append((envelope.mail_from, envelope.rcpt_tos, envelope.content))
        self.client_name = session.host_name
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


def message(to: str = "ann@example.org", subject: str = "x", text: str = "y\n") -> EmailMessage:
    return create_message(SENDER, to, subject, text, message_id="<1@example.org>", sent_at=SENT_AT)


def test_a_server_gets_the_message_for_its_one_recipient(smtp):
    server, port = smtp
    delivery = SmtpDelivery("127.0.0.1", port, "none", "forum", "secret", 10)
    text = "Zeile eins\nZeile zwei: https://x.example/?a=b\n"
    assert delivery.deliver(message("ann@example.org", "Grüße", text)) == 250
    [(sender, recipients, content)] = server.received
    assert (sender, recipients) == (SENDER, ["ann@example.org"])
    received = message_from_bytes(content, policy=policy.default)
    assert isinstance(received, EmailMessage)
    assert received["Subject"] == "Grüße"
    assert received["Date"].datetime == SENT_AT
    assert received["Message-ID"] == "<1@example.org>"
    assert "https://x.example/?a=b" in received.get_content()


@pytest.mark.parametrize("policy_of_reader", [policy.default, policy.compat32])
@pytest.mark.parametrize(
    "subject",
    [
        "Société française des amis de l’été à Genève: set a new password",
        "Größtes Forum für Köche und Bäcker in Österreich und Südtirol: a reply",
        "日本 " * 60 + "語",
        "a" * 70 + " é" * 30,
        "👩\u200d💻 " * 40 + "!",
    ],
)
def test_a_long_subject_keeps_its_blanks_and_letters(subject, policy_of_reader):
    sent = message(subject=subject).as_bytes()
    assert max(map(len, sent.splitlines())) <= 78
    received = message_from_bytes(sent, policy=policy_of_reader)["Subject"]
    assert str(make_header(decode_header(str(received)))) == subject


@pytest.mark.parametrize(
    "subject",
    ["=?utf-8?q?Tea=0D=0ABcc:_x@example.org?=", "=?utf-8?b?VGVhDQpCY2M6IHhAZXhhbXBsZQ==?="],
)
def test_a_subject_that_looks_encoded_begins_no_other_header(subject):
    received = message_from_bytes(message(subject=subject).as_bytes())
    assert "Bcc" not in received
    assert str(make_header(decode_header(received["Subject"]))) == subject


def test_the_server_is_greeted_by_the_name_of_the_settings_or_of_the_site(smtp):
    server, port = smtp
    for more, name in (({}, "f.example"), ({"mail.helo_name": "mx.f.example"}, "mx.f.example")):
        here = {"mail.host": "127.0.0.1", "mail.port": str(port)}
        delivery = create_delivery(Settings({**REQUIRED, **SMTP, **here, **more}), Path())
        assert delivery is not None
        delivery.deliver(message())
        assert server.client_name == name


def test_a_domain_of_other_letters_is_sent_as_a_labels_to_any_server(smtp):
    server, port = smtp
    made = message("user@münchen.example", "Grüße aus München")
    SmtpDelivery("127.0.0.1", port, "none", "", "", 10).deliver(made)
    [(_, recipients, content)] = server.received
    assert recipients == ["user@xn--mnchen-3ya.example"]
    assert b"\nTo: user@xn--mnchen-3ya.example\r\n" in content
    assert content.isascii()


def test_there_is_no_message_to_letters_that_need_smtputf8():
    for address in ("üser@example.org", "用户@例子.example"):
        with pytest.raises(NoAsciiAddress):
            message(address)


def test_a_message_that_the_server_took_is_sent_whatever_it_answers_to_quit(smtp, monkeypatch):
    server, port = smtp

    async def handle_quit(*_: Any) -> str:
        return "421 Service is going down"

    monkeypatch.setattr(Server, "handle_QUIT", handle_quit, raising=False)
    delivery = SmtpDelivery("127.0.0.1", port, "none", "", "", 10)
    assert delivery.deliver(message()) == 250
    assert len(server.received) == 1


@pytest.mark.parametrize("said", [b"220-Hello\r\n", b"2"])
def test_a_server_that_never_ends_its_answer_is_left(said):
    def talk() -> None:
        connection, _ = server.accept()
        with connection, suppress(OSError):
            while True:
                connection.sendall(said)
                left.wait(0.02)

    left = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        talking = threading.Thread(target=talk)
        talking.start()
        port = server.getsockname()[1]
        with pytest.raises(SMTPException) as ended:
            SmtpDelivery("127.0.0.1", port, "none", "", "", 0.2).deliver(message())
        talking.join()
    assert not is_permanent(ended.value)


@pytest.mark.parametrize(
    ("host", "password"), [("mail..example.org", "secret"), ("127.0.0.1", "geheimnisß")]
)
def test_a_wrong_setting_is_no_fault_of_the_message(smtp, host, password):
    delivery = SmtpDelivery(host, smtp[1], "none", "forum", password, 10)
    with pytest.raises(SMTPException) as refused:
        delivery.deliver(message())
    assert not is_permanent(refused.value)


def test_a_server_that_refuses_the_login_gets_no_message(smtp):
    server, port = smtp
    with pytest.raises(OSError, match="535"):
        SmtpDelivery("127.0.0.1", port, "none", "forum", "wrong", 10).deliver(message())
    assert server.received == []


@pytest.mark.parametrize(
    "address", ["a,b@example.org", "a@b@c", "", "ann", "a\r\nBcc: b@example.org", "<a>@b>"]
)
def test_an_address_never_becomes_two_recipients(address):
    with pytest.raises((MessageError, ValueError, IndexError)):
        message(address)


VALUES = ("site_name", "login", "link", "url", "day", "reason", "until", "webhook", "inviter")
NASTY = (
    "x\r\nBcc: b@example.org\n\nOther text",
    "{{ 7 * 7 }}{% include 'x' %}%s%(x)s",
    "<b>&amp;\u2028\u202e\x85.\n.\r\n",
    "\N{GRINNING FACE}论坛" * 40,
    "",
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", MailKind)
def test_no_value_adds_a_line_to_any_email_or_is_taken_for_a_template(kind, language):
    for nasty in NASTY:
        subject, text = texts.render(kind, language, **dict.fromkeys(VALUES, nasty))
        made = message(subject=subject, text=text)
        received = message_from_bytes(made.as_bytes(), policy=policy.default)
        assert received.keys() == message().keys(), nasty
        # A long first word begins on the next line, behind a space.
        assert received["Subject"].lstrip() == subject, nasty
        assert len(subject.splitlines()) == 1, nasty
        assert " ".join(nasty.split()) in subject, nasty
        assert not {"Bcc:", "49"} & {line.split(" ")[0] for line in text.splitlines()}, nasty
        assert isinstance(received, EmailMessage)
        assert received.get_content().replace("\r\n", "\n") == text, nasty


def test_a_folder_gets_complete_files(tmp_path):
    delivery = FolderDelivery(tmp_path / "new" / "mail")
    for number in range(3):
        delivery.deliver(message(subject=f"Number {number}"))
    files = sorted((tmp_path / "new" / "mail").iterdir())
    assert [file.suffix for file in files] == [".eml"] * 3
    kept = [message_from_bytes(file.read_bytes(), policy=policy.default) for file in files]
    assert sorted(one["Subject"] for one in kept) == ["Number 0", "Number 1", "Number 2"]
    assert {one.get_content() for one in kept} == {message().get_content()}
