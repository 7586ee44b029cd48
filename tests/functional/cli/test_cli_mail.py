"""`forumsvc mail …`: listing and retrying emails, and the test of the mail server."""

import socket
from pathlib import Path
from typing import Any

import pytest

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import MailKind
from forumsvc.services import mails
from tests.functional.cli.conftest import Run, run_command
from tests.unit.mail.test_mail import smtp as smtp  # a mail server that knows a password

ADDRESS = "ann@example.org"
INI = """\
[app:main]
sqlalchemy.url = sqlite:///never-opened.sqlite
site.environment = development
site.url = http://localhost
session.secret = a secret that these tests made up
mail.delivery = {delivery}
mail.host = 127.0.0.1
mail.port = {port}
"""


@pytest.fixture
def failed(database: Database) -> int:
    """The id of an email that was given up."""
    with database.session.begin() as db:
        mails.enqueue(db, MailKind.PASSWORD_RESET, ADDRESS, clock.now(), data={"url": "u"})
    with database.session.begin() as db:
        mail = mails.claim(db, clock.now())
        assert mail is not None
        mails.mark_failed(db, mail, clock.now(), "SMTPDataError 554", is_permanent=True)
    return int(mail.id)


def test_emails_are_listed_by_state_with_addresses_only_on_request(run: Run, failed: int) -> None:
    [listed] = run("mail", "list", "--state", "failed", "--json").json["mails"]
    assert (listed["id"], listed["state"], listed["attempts"]) == (failed, "failed", 1)
    assert listed["error"] == "SMTPDataError 554"
    assert "recipient" not in listed
    [shown] = run("mail", "list", "--addresses", "--json").json["mails"]
    assert shown["recipient"] == ADDRESS
    assert run("mail", "list", "--state", "sent", "--json").json["mails"] == []


def test_a_failed_email_is_due_again_after_a_retry(run: Run, failed: int) -> None:
    assert run("mail", "retry", failed, "--json").json == {"id": failed}
    [listed] = run("mail", "list", "--json").json["mails"]
    assert (listed["state"], listed["attempts"]) == ("waiting", 0)
    assert listed["due_at"] is not None


def test_an_email_that_is_not_there_cannot_be_retried(run: Run, database: Database) -> None:
    assert "no unsent email 7" in run("mail", "retry", 7).refusal


def _test(tmp_path: Path, *words: str, delivery: str = "smtp", port: int = 1) -> Any:
    ini = tmp_path / "mail.ini"
    ini.write_text(INI.format(delivery=delivery, port=port))
    return run_command("-c", ini, "mail", "test", *words)


def test_a_test_says_what_the_server_answered(tmp_path: Path, smtp: Any) -> None:
    server, port = smtp
    outcome = _test(tmp_path, ADDRESS, "--json", port=port)
    assert outcome.json["code"] == 250
    [(_, recipients, content)] = server.received
    assert recipients == [ADDRESS]
    assert outcome.json["message_id"].encode() in content


def test_a_test_fails_with_one_line_where_no_server_listens(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        outcome = _test(tmp_path, ADDRESS, port=unused.getsockname()[1])
    assert "ConnectionRefusedError" in outcome.refusal


def test_a_test_without_mail_says_so(tmp_path: Path) -> None:
    assert "mail.delivery is none" in _test(tmp_path, ADDRESS, delivery="none").refusal


def test_a_test_goes_to_one_address(tmp_path: Path) -> None:
    outcome = _test(tmp_path, "a@example.org,b@example.org")
    assert outcome.code == 2
    assert "not the address of one recipient" in outcome.err
