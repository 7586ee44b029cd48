"""`forumsvc check`, or `doctor --before-start`: what fails at the start of the service or later."""

import configparser
import os
import socket
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text

from forumsvc.cli.config import example
from forumsvc.doctor.database import (
    BACKGROUND_THREADS,
    max_connections_of_background,
    max_connections_of_process,
)
from forumsvc.settings import DECLARED
from tests.databases import on_postgresql, on_sqlite
from tests.functional.cli.conftest import run_command
from tests.functional.doctor.conftest import Examine
from tests.object_store import bucket as bucket
from tests.object_store import endpoint as endpoint
from tests.object_store import s3_settings
from tests.unit.mail.test_mail import smtp as smtp  # a mail server that knows a password


@pytest.fixture
def check(examine: Examine) -> Examine:
    """A function: examine the forum before it starts."""
    return partial(examine, "--before-start")


def test_a_configuration_that_is_right_has_no_problem(check, tmp_path):
    assert check().findings == []
    assert not (tmp_path / "var").exists()
    assert run_command("-c", tmp_path / "examined.ini", "check").out == "Nothing is wrong.\n"


@on_sqlite
def test_an_ini_file_without_a_server_is_an_error(ini):
    outcome = run_command("-c", ini, "check")
    assert (outcome.code, "server" in outcome.out) == (1, True)


_COUNTED = {"sqlalchemy.pool_size", "search.at_once", "webhooks.most"}


def test_what_a_process_may_open_is_bounded_by_pools_and_by_threads():
    assert max_connections_of_process(pool_size=10, threads=8) == 17 + 11
    assert max_connections_of_process(pool_size=3, threads=8) == 6 + 6


def test_two_processes_of_the_shipped_ini_fit_into_the_default_of_postgresql():
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


def test_the_background_worker_may_open_connections_for_each_kind_of_job_and_each_webhook():
    with_webhooks = BACKGROUND_THREADS + 4
    assert max_connections_of_background(pool_size=100, webhooks=4) == 3 * with_webhooks
    assert max_connections_of_background(pool_size=10, webhooks=4) == 20 + with_webhooks
    assert max_connections_of_background(pool_size=10, webhooks=20) == 20 + 20


@on_postgresql
def test_a_database_that_takes_no_writes_is_an_error(check, database):
    name = database.url.database
    with database.reads.connect() as connection:
        connection.execute(text("SET default_transaction_read_only = off"))
        connection.execute(text(f"ALTER DATABASE {name} SET default_transaction_read_only = on"))
        try:
            faults = check().faults
            assert any(message.startswith("sqlalchemy.url: ") for _, _, message in faults)
        finally:
            connection.execute(text(f"ALTER DATABASE {name} RESET default_transaction_read_only"))


MAIL = {"mail__delivery": "smtp", "site__url": "http://localhost", "mail__host": "127.0.0.1"}


@on_sqlite
def test_a_mail_server_is_logged_in_to_and_gets_no_mail(check, smtp):
    server, port = smtp
    known = {**MAIL, "mail__port": port, "mail__user": "forum"}
    assert check(**known, mail__password="secret").faults == []
    wrong = check(**known, mail__password="wr0ng").only("error", "configuration")
    assert "SMTPAuthenticationError" in wrong
    assert "wr0ng" not in wrong
    assert "mail.host: " in check(**{**known, "mail__port": 1}).only("error", "configuration")
    assert server.received == []


@on_sqlite
def test_a_mail_server_whose_name_does_not_resolve_is_an_error(check, monkeypatch):
    look_up = socket.getaddrinfo

    def fail(host: Any, *words: Any, **options: Any) -> Any:
        if host == "mail.example.org":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return look_up(host, *words, **options)

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    found = check(**{**MAIL, "mail__host": "mail.example.org"}).only("error", "configuration")
    assert found.startswith("mail.host: mail.example.org:25 cannot be used: gaierror")


@on_sqlite
def test_a_sender_at_localhost_is_an_error_in_production(check, smtp):
    known = {**MAIL, "mail__port": smtp[1], "mail__user": "forum", "mail__password": "secret"}
    known["site.environment"] = "production"
    found = check(**known).only("error", "configuration")
    assert found.startswith("mail.sender: other mail servers refuse mail from forum@localhost")
    assert check(**known, mail__sender="forum@example.org").faults == []


@on_sqlite
@pytest.mark.parametrize(
    ("mode", "secret", "is_found"),
    [(0o644, "x" * 40, True), (0o640, "x" * 40, False), (0o644, "${HOME}" * 40, False)],
)
def test_an_ini_file_that_everybody_can_read_is_a_warning(check, tmp_path, mode, secret, is_found):
    path = tmp_path / "examined.ini"
    path.touch()
    path.chmod(mode)
    settings = {"site.environment": "production", "session.secret": secret}
    found = check(site__url="https://example.org", **settings).faults
    warning = f"{path} is readable for every user"
    assert [message.startswith(warning) for _, _, message in found] == [True] * is_found


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
def test_a_mistake_in_the_sections_of_the_log_is_an_error(check, tmp_path, right, wrong, message):
    assert check(sections=LOGGING).faults == []
    found = check(sections=LOGGING.replace(right, wrong)).only("error", "configuration")
    assert found.startswith("[loggers], [handlers], [formatters]: ")
    assert message in found
    assert not (tmp_path / "forum.log").exists()


@on_sqlite
def test_a_bucket_is_written_read_and_left_empty(check, endpoint, bucket):
    known = {"photos.storage": "s3", **s3_settings(endpoint, bucket.name)}
    assert check(**known).faults == []
    assert list(bucket.objects.all()) == []
    missing = check(**{**known, "photos.s3_bucket": "nothing"}).only("error", "configuration")
    assert missing.startswith("photos.s3_bucket: 'nothing' cannot be used")


@on_sqlite
def test_what_the_probe_made_is_gone(check, tmp_path):
    kept = tmp_path / "var" / "photos" / "kept"
    kept.mkdir(parents=True)
    assert check().faults == []
    assert os.listdir(kept.parent) == ["kept"]


@on_sqlite
def test_an_address_in_use_is_no_error(check):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert check(server={"listen": f"127.0.0.1:{taken.getsockname()[1]}"}).faults == []
