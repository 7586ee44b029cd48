"""`forumsvc check`, or `doctor --before-start`: what fails at the start of the service or later."""

import configparser
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from forumsvc.cli.config import example
from forumsvc.db.engine import Database
from forumsvc.doctor.database import max_connections_of_background, max_connections_of_process
from forumsvc.settings import DECLARED
from tests.databases import on_postgresql, on_sqlite
from tests.functional.cli.conftest import Outcome, run_command
from tests.object_store import bucket as bucket
from tests.object_store import endpoint as endpoint
from tests.object_store import s3_settings
from tests.unit.mail.test_mail import smtp as smtp  # a mail server that knows a password

SERVER = "[server:main]\nuse = egg:forumsvc\nlisten = 127.0.0.1:0\n"

Check = Callable[..., Outcome]


@pytest.fixture
def check(ini: Path, tmp_path: Path) -> Check:
    """A function: check the ini file with these settings and lines of `[server:main]` added."""

    def run(*, server: str = "", **settings: object) -> Outcome:
        lines = [f"{key.replace('__', '.')} = {value}" for key, value in settings.items()]
        path = tmp_path / "checked.ini"
        path.write_text("\n".join([ini.read_text(), *lines, SERVER + server]))
        return run_command("-c", path, "check", "--json")

    return run


def problems(outcome: Outcome) -> list[str]:
    """Return what was found, each as `level: message`."""
    assert outcome.code in (0, 1), outcome
    found = json.loads(outcome.out)
    listed = [f"{each['level']}: {each['message']}" for each in found["findings"]]
    errors = [line for line in listed if line.startswith("error: ")]
    assert (found["errors"], found["warnings"]) == (len(errors), len(listed) - len(errors))
    assert outcome.code == (1 if errors else 0)
    assert outcome.err == ""
    return listed


def the_only_error(outcome: Outcome) -> str:
    """Return the one error that was found, and nothing else."""
    [line] = problems(outcome)
    assert line.startswith("error: ")
    return line.removeprefix("error: ")


def test_a_configuration_that_is_right_has_no_problem(check: Check, tmp_path: Path) -> None:
    assert problems(check()) == []
    assert not (tmp_path / "var").exists()
    assert run_command("-c", tmp_path / "checked.ini", "check").out == "Nothing is wrong.\n"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"photos__storage": "s3"}, "photos.s3_bucket: missing"),
        ({"posts__forbidden_words": "file:/nonexistent"}, "posts.forbidden_words: "),
        ({"mail__delivery": "smtp"}, "site.url: missing"),
        ({"http__max_body": "90000000"}, "http.max_body: 90000000 bytes are not below"),
        ({"photos__dir": "/proc/nope"}, "photos.dir: '/proc/nope' cannot be used"),
        (
            {"rate_limit__storage": "redis://u:s3cret@127.0.0.1:1/0"},
            "rate_limit.storage: redis://u:****",
        ),
    ],
)
@on_sqlite
def test_a_setting_that_fails_at_the_start_or_in_use_is_an_error(
    check: Check, settings: dict[str, str], message: str
) -> None:
    found = the_only_error(check(server="max_request_body_size = 67108864\n", **settings))
    assert found.startswith(message)
    assert "s3cret" not in found


@pytest.mark.parametrize(
    ("server", "message"),
    [
        ("processes = many\n", "[server] processes = many: "),
        ("use = egg:nosuchserver\n", "[server:main]: "),
    ],
)
@on_sqlite
def test_a_key_of_the_server_that_pserve_refuses_is_an_error(
    ini: Path, tmp_path: Path, server: str, message: str
) -> None:
    path = tmp_path / "checked.ini"
    section = SERVER.replace("use = egg:forumsvc\n", "") if "use" in server else SERVER
    path.write_text(f"{ini.read_text()}\n{section}{server}")
    found = the_only_error(run_command("-c", path, "check", "--json"))
    assert found.startswith(message)


@on_sqlite
@pytest.mark.parametrize("trusted_proxy", ["*", "0.0.0.0/0", "::/0"])
def test_a_proxy_that_may_be_anybody_is_a_warning(check: Check, trusted_proxy: str) -> None:
    lines = f"trusted_proxy = {trusted_proxy}\ntrusted_proxy_headers = x-forwarded-for\n"
    [found] = problems(check(server=lines))
    assert found.startswith(f"warning: [server] trusted_proxy = {trusted_proxy}: whoever connects ")
    assert problems(check(server=lines.replace(trusted_proxy, "10.0.0.0/8"))) == []


@on_sqlite
def test_all_wrong_settings_are_found_at_once(check: Check) -> None:
    found = problems(check(server="threads = 0\n", site__nmae="x", http__max_body="big"))
    assert [line.split()[1] for line in found] == ["[server]", "site.nmae:", "http.max_body:"]


@on_sqlite
def test_an_ini_file_without_a_server_is_an_error(ini: Path) -> None:
    assert "server" in the_only_error(run_command("-c", ini, "check", "--json"))


@on_postgresql
def test_more_connections_than_the_database_has_are_a_warning(check: Check) -> None:
    outcome = check(server="processes = 64\nthreads = 8\n", sqlalchemy__pool_size=10)
    [line] = problems(outcome)
    assert line.startswith("warning: sqlalchemy.pool_size: 64 processes with up to 29 connections")


_COUNTED = {"sqlalchemy.pool_size", "search.at_once", "webhooks.most"}


def test_what_a_process_may_open_is_bounded_by_pools_and_by_threads() -> None:
    assert max_connections_of_process(pool_size=10, threads=8) == 17 + 10
    assert max_connections_of_process(pool_size=3, threads=8) == 6 + 6


def test_two_processes_of_the_shipped_ini_fit_into_the_default_of_postgresql() -> None:
    production = configparser.RawConfigParser()
    production.read_string(example("production.ini"))
    pool_size = production.getint("app:main", "sqlalchemy.pool_size")
    threads = production.getint("server:main", "threads")
    counted = [setting for setting in DECLARED if setting.name in _COUNTED]
    defaults = {setting.name: int(setting.default or 0) for setting in counted}
    assert pool_size == defaults["sqlalchemy.pool_size"]
    each_process = max_connections_of_process(pool_size, threads) + defaults["search.at_once"]
    background = max_connections_of_background(pool_size, defaults["webhooks.most"])
    assert 2 * each_process + background <= 100 - 3


def test_the_background_worker_may_open_connections_for_each_kind_of_job_and_each_webhook() -> None:
    assert max_connections_of_background(pool_size=100, webhooks=4) == 2 * 16 + 16
    assert max_connections_of_background(pool_size=10, webhooks=4) == 20 + 16
    assert max_connections_of_background(pool_size=10, webhooks=20) == 20 + 20


@on_postgresql
def test_a_database_that_takes_no_writes_is_an_error(check: Check, database: Database) -> None:
    name = database.url.database
    with database.reads.connect() as connection:
        connection.execute(text("SET default_transaction_read_only = off"))
        connection.execute(text(f"ALTER DATABASE {name} SET default_transaction_read_only = on"))
        try:
            assert any(line.startswith("error: sqlalchemy.url: ") for line in problems(check()))
        finally:
            connection.execute(text(f"ALTER DATABASE {name} RESET default_transaction_read_only"))


MAIL = {"mail__delivery": "smtp", "site__url": "http://localhost", "mail__host": "127.0.0.1"}


@on_sqlite
def test_a_mail_server_is_logged_in_to_and_gets_no_mail(check: Check, smtp: Any) -> None:
    server, port = smtp
    known = {**MAIL, "mail__port": port, "mail__user": "forum"}
    assert problems(check(**known, mail__password="secret")) == []
    wrong = the_only_error(check(**known, mail__password="wr0ng"))
    assert "SMTPAuthenticationError" in wrong
    assert "wr0ng" not in wrong
    assert "mail.host: " in the_only_error(check(**{**known, "mail__port": 1}))
    assert server.received == []


@on_sqlite
def test_a_mail_server_whose_name_does_not_resolve_is_an_error(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up = socket.getaddrinfo

    def fail(host: Any, *words: Any, **options: Any) -> Any:
        if host == "mail.example.org":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return look_up(host, *words, **options)

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    found = the_only_error(check(**{**MAIL, "mail__host": "mail.example.org"}))
    assert found.startswith("mail.host: mail.example.org:25 cannot be used: gaierror")


@on_sqlite
def test_confirmation_by_mail_that_nobody_gets_is_an_error_in_production(
    check: Check, ini: Path, tmp_path: Path
) -> None:
    folder = {"mail__delivery": "folder", "mail__dir": tmp_path / "mail"}
    folder["site__url"] = "https://forum.example.org"
    ini.write_text(in_production(ini))
    (tmp_path / "checked.ini").touch(0o600)
    assert the_only_error(check(**folder)).startswith("mail.delivery: people must confirm")
    assert problems(check(**folder, accounts__confirm_email="false")) == []


@on_sqlite
def test_a_sender_at_localhost_is_an_error_in_production(
    check: Check, ini: Path, tmp_path: Path, smtp: Any
) -> None:
    known = {**MAIL, "mail__port": smtp[1], "mail__user": "forum", "mail__password": "secret"}
    ini.write_text(in_production(ini))
    (tmp_path / "checked.ini").touch(0o600)
    found = the_only_error(check(**known))
    assert found.startswith("mail.sender: other mail servers refuse mail from forum@localhost")
    assert problems(check(**known, mail__sender="forum@example.org")) == []


@on_sqlite
def test_a_site_url_with_a_path_is_a_warning(check: Check) -> None:
    [found] = problems(check(site__url="https://example.org/forum"))
    assert found.startswith("warning: site.url: https://example.org/forum has a path")
    assert problems(check(site__url="https://example.org/")) == []


@on_sqlite
def test_an_ini_file_that_everybody_can_read_is_a_warning(
    check: Check, ini: Path, tmp_path: Path
) -> None:
    ini.write_text(in_production(ini))
    path = tmp_path / "checked.ini"
    [found] = problems(check(site__url="https://example.org"))
    assert found.startswith(f"warning: {path} is readable for every user")
    path.chmod(0o640)
    assert problems(run_command("-c", path, "check", "--json")) == []
    ini.write_text(ini.read_text().replace("session.secret = ", "session.secret = ${HOME}"))
    path.chmod(0o644)
    assert problems(check(site__url="https://example.org")) == []


def in_production(ini: Path) -> str:
    """Return the text of an ini file with production's environment."""
    return ini.read_text().replace("= development", "= production")


LOGGING = """
[loggers]
keys = root
[handlers]
keys = file
[formatters]
keys = json
[logger_root]
level = INFO
handlers = file
[handler_file]
class = FileHandler
args = ('%(here)s/forum.log',)
formatter = json
[formatter_json]
format = %(message)s
"""


@on_sqlite
@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("forum.log", "logs/forum.log", "/logs"),
        ("formatter = json", "formatter = jsno", "KeyError('jsno')"),
        ("level = INFO", "level = WARN1", "Unknown level: 'WARN1'"),
        ("keys = file", "keys = file, mail", "'handler_mail'"),
    ],
)
def test_a_mistake_in_the_sections_of_the_log_is_an_error(
    check: Check, tmp_path: Path, right: str, wrong: str, message: str
) -> None:
    assert problems(check(server=LOGGING)) == []
    found = the_only_error(check(server=LOGGING.replace(right, wrong)))
    assert found.startswith("[loggers], [handlers], [formatters]: ")
    assert message in found
    assert not (tmp_path / "forum.log").exists()


@on_sqlite
def test_a_password_is_not_sent_unencrypted_to_another_host(check: Check) -> None:
    known = {**MAIL, "mail__host": "192.0.2.7", "mail__user": "forum", "mail__password": "x"}
    assert the_only_error(check(**known)).startswith("mail.security: none would send the password")


@on_sqlite
def test_a_bucket_is_written_read_and_left_empty(check: Check, endpoint: str, bucket: Any) -> None:
    known = {"photos.storage": "s3", **s3_settings(endpoint, bucket.name)}
    assert problems(check(**known)) == []
    assert list(bucket.objects.all()) == []
    missing = the_only_error(check(**{**known, "photos.s3_bucket": "nothing"}))
    assert missing.startswith("photos.s3_bucket: 'nothing' cannot be used")


@on_sqlite
def test_what_the_probe_made_is_gone(check: Check, tmp_path: Path) -> None:
    kept = tmp_path / "var" / "photos" / "kept"
    kept.mkdir(parents=True)
    assert problems(check()) == []
    assert os.listdir(kept.parent) == ["kept"]


@on_sqlite
def test_an_address_that_cannot_be_had_is_an_error_and_one_in_use_is_none(
    ini: Path, tmp_path: Path
) -> None:
    path = tmp_path / "checked.ini"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for address, expected in ((f"127.0.0.1:{port}", 0), ("192.0.2.7:8080", 1)):
            listen = SERVER.replace("127.0.0.1:0", address)
            path.write_text(f"{ini.read_text()}\n{listen}")
            assert len(problems(run_command("-c", path, "check", "--json"))) == expected
