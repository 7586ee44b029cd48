"""`forumsvc mail test`: the test of the mail server."""

import socket
from pathlib import Path
from typing import Any

from tests.functional.cli.conftest import run_command
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


def _test(tmp_path: Path, *words: str, delivery: str = "smtp", port: int = 1) -> Any:
    ini = tmp_path / "mail.ini"
    ini.write_text(INI.format(delivery=delivery, port=port))
    return run_command("-c", ini, "mail", "test", *words)


def test_a_test_says_what_the_server_answered(tmp_path, smtp):
    server, port = smtp
    outcome = _test(tmp_path, ADDRESS, "--json", port=port)
    assert outcome.json["code"] == 250
    [(_, recipients, content)] = server.received
    assert recipients == [ADDRESS]
    assert outcome.json["message_id"].encode() in content


def test_a_test_fails_with_one_line_where_no_server_listens(tmp_path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        outcome = _test(tmp_path, ADDRESS, port=unused.getsockname()[1])
    assert "ConnectionRefusedError" in outcome.refusal


def test_a_test_without_mail_says_so(tmp_path):
    assert "mail.delivery is none" in _test(tmp_path, ADDRESS, delivery="none").refusal


def test_a_test_goes_to_one_address(tmp_path):
    outcome = _test(tmp_path, "a@example.org,b@example.org")
    assert outcome.code == 2
    assert "not the address of one recipient" in outcome.err
