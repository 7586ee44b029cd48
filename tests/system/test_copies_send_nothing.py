"""A restored forum, run as a whole service, sends no email and no webhook until `db adopt`."""

import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc import clock
from forumsvc.models import EventType, MailKind, User
from forumsvc.services import events, mails
from forumsvc.services.webhooks import webhooks
from tests import databases
from tests.functional.cli.conftest import run_command
from tests.functional.receiver import Receiver, receiving
from tests.functional.rows import insert_row
from tests.postgres_keeper import binaries
from tests.system.conftest import NewUrl
from tests.system.forum_process import serving
from tests.system.process import PATIENCE, wait_until
from tests.system.pserve import Pserve
from tests.unit.mail.test_mail import Server
from tests.unit.mail.test_mail import smtp as smtp

SITE, OTHER = "https://forum.example.org", "https://drill.example.org"


@dataclass
class Outside:
    """The mail server and the receiver of webhooks, and the settings that lead to them."""

    mail: Server
    hooks: Receiver
    settings: dict[str, Any]

    @property
    def received(self) -> tuple[int, int]:
        """How many emails and how many messages of webhooks arrived."""
        return len(self.mail.received), len(self.hooks.received)


@pytest.fixture
def outside(smtp: tuple[Server, int]) -> Iterator[Outside]:
    """Both, on loopback."""
    server, port = smtp
    settings = {
        "mail__delivery": "smtp",
        "mail__host": "127.0.0.1",
        "mail__port": str(port),
        "mail__sender": "forum@example.org",
        "mail__security": "none",
        "webhooks__allow_private": "true",
    }
    with receiving() as hooks:
        yield Outside(server, hooks, settings)


def something_happens(url: str, hook: str = "") -> None:
    """Leave an email, and an event that a webhook is told of. hook: the webhook to add before."""
    with databases.open_temporarily(url) as database, database.session.begin() as db:
        moment = clock.now()
        if hook:
            insert_row(db, User, login="ann")
            options: dict[str, Any] = {"node_ids": None, "description": "", "most": 5}
            webhooks.create(db, None, moment, url=hook, events=["user.updated"], **options)
        user_id = db.scalar(select(User.id))
        mails.enqueue(
            db,
            MailKind.ACCOUNT_APPROVED,
            "ann@example.org",
            moment,
            data={"login": "ann", "reason": ""},
        )
        events.record(db, EventType.USER_UPDATED, moment, actor_id=None, user_id=user_id)


def restore(url: str, folder: Path, new_url: NewUrl) -> str:
    """Restore a dump of a database into a new one, and return its URL."""
    if url.startswith("sqlite"):
        target = folder / "restored.sqlite"
        with (
            closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as source,
            closing(sqlite3.connect(target)) as made,
        ):
            source.backup(made)
        return f"sqlite:///{target}"
    programs = binaries(folder, {}) / "bin"
    made_url = new_url("postgresql", empty=True)
    dump = folder / "forum.dump"
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "timeout": PATIENCE}
    into = f"--dbname={databases.plain_url(made_url)}"
    for program, *options in (
        ("pg_dump", "--format=custom", f"--file={dump}", databases.plain_url(url)),
        ("pg_restore", "--exit-on-error", into, str(dump)),
    ):
        subprocess.run([programs / program, *options], check=True, **quiet)
    return made_url


def log_has(server: Pserve, line: str) -> bool:
    return line in server.log


@pytest.mark.parametrize("kind", databases.KINDS)
def test_a_copy_sends_nothing_until_it_is_adopted_and_then_each_once(
    kind, outside, tmp_path, new_url
):
    url = new_url(kind)

    def run(url: str, site_url: str) -> Any:
        return serving(tmp_path, url, site__url=site_url, **outside.settings)

    something_happens(url, outside.hooks.url)
    with run(url, SITE) as server:
        wait_until(lambda: outside.received == (1, 1), "the original sends")
        assert server.get("/health").json["copy"] is False
        server.stop()  # and so gives its jobs back
    something_happens(url)
    restored = restore(url, tmp_path, new_url)
    # The second is a copy of the files of a whole server: in the same place, but under another URL.
    for copy, site_url in ((restored, SITE), (url, OTHER)):
        with run(copy, site_url) as server:
            for job in ("mail", "deliver"):
                line = f"{job} jobs wait: this database"
                wait_until(partial(log_has, server, line), line)
            assert server.get("/health").json["copy"] is True
        assert outside.received == (1, 1)
    with run(restored, SITE):
        done = run_command("-c", tmp_path / "forum.ini", "db", "adopt", "--yes")
        assert done.code == 0, done.err
        wait_until(lambda: outside.received == (2, 2), "the adopted copy sends")
    assert len({message.id for message in outside.hooks.received}) == 2
