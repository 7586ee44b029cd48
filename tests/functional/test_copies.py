"""A copy of the database sends neither emails nor webhooks until it is made the real one."""

import logging
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, text

from forumsvc import clock
from forumsvc.background.job_runner import Handler, JobRunner
from forumsvc.cache.database import open_database
from forumsvc.db.engine import Database
from forumsvc.models import Job, JobKind
from forumsvc.services import deployment, jobs
from forumsvc.services.jobs import Claimed
from tests.databases import on_sqlite

pytestmark = pytest.mark.both_databases

URL = "https://forum.example.org"
KINDS = (JobKind.MAIL, JobKind.DELIVER)


class Sender(Handler):
    """Counts what it would send."""

    def __init__(self, database: Database, kind: JobKind, url: str) -> None:
        self.database, self.kind, self.sends_as = database, kind, url
        self.lock = timedelta(minutes=1)
        self.sent = 0

    def run(self, job: Claimed) -> None:
        self.sent += 1
        with self.database.session.begin() as db:
            jobs.delete_claimed(db, job)


def work(database: Database, url: str = URL) -> int:
    """Run what is due of both kinds, and return how much was sent."""
    senders = [Sender(database, kind, url) for kind in KINDS]
    runner = JobRunner(database, senders, 0.01)
    for kind in KINDS:
        runner.run_due(kind)
    runner.close()
    return sum(sender.sent for sender in senders)


def enqueue(database: Database) -> None:
    with database.session.begin() as db:
        for kind in KINDS:
            jobs.enqueue(db, kind, clock.now(), {}, key=1)


def waiting(database: Database) -> Any:
    with database.reads.connect() as db:
        return db.scalar(select(func.count()).select_from(Job))


def adopt(database: Database, url: str = URL) -> None:
    with database.session.begin() as db:
        deployment.adopt(db, url)


def restored(database: Database) -> None:
    with database.session.begin() as db:
        deployment.mark_as_copy(db, clock.now())


def elsewhere(database: Database) -> None:
    with database.session.begin() as db:
        db.execute(text("UPDATE deployment SET place = 'elsewhere'"))


@pytest.mark.parametrize("copy", [restored, elsewhere])
def test_in_a_copy_emails_and_webhooks_wait_and_go_out_once_when_it_is_the_one(
    database, copy, caplog
):
    enqueue(database)
    assert work(database) == 2
    copy(database)
    enqueue(database)
    with caplog.at_level(logging.WARNING):
        assert (work(database), waiting(database)) == (0, 2)
    assert "db adopt" in caplog.text
    adopt(database)
    assert (work(database), work(database), waiting(database)) == (2, 0, 0)


def test_a_service_under_another_host_name_sends_nothing(database):
    enqueue(database)
    assert work(database) == 2
    enqueue(database)
    assert work(database, "https://drill.example.org") == 0
    assert work(database, "http://forum.example.org/") == 2


def test_what_was_restored_sends_nothing_though_the_original_never_sent(database):
    restored(database)
    enqueue(database)
    assert work(database) == 0


@on_sqlite
def test_a_copied_file_sends_nothing_and_the_original_goes_on(database, tmp_path):
    enqueue(database)
    assert work(database) == 2
    enqueue(database)
    target = tmp_path / "copy.sqlite"
    with (
        closing(sqlite3.connect(str(database.url.database))) as source,
        closing(sqlite3.connect(target)) as made,
    ):
        source.backup(made)
    copy = open_database(f"sqlite:///{target}")
    try:
        assert (work(copy), waiting(copy)) == (0, 2)
    finally:
        copy.dispose()
    assert work(database) == 2
