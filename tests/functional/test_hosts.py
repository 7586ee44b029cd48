"""The table of hosts: each background worker writes a row, which holds no secret."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from forumsvc import clock
from forumsvc.background.host_report import HostReport
from forumsvc.background.maintenance import delete_all_expired
from forumsvc.db.engine import Database
from forumsvc.doctor.database import BACKGROUND_THREADS
from forumsvc.models import AuditRecord, Host
from forumsvc.services import hosts
from forumsvc.services.moderation import settings_log
from forumsvc.settings import Settings
from tests.functional.background_jobs import report_host

pytestmark = pytest.mark.both_databases

SECRET = "a secret that these tests made up"


@pytest.fixture
def settings(database: Database) -> Settings:
    """The settings of a host."""
    url = database.url.render_as_string(hide_password=False)
    named = {"site.environment": "development", "session.secret": SECRET}
    return Settings({"sqlalchemy.url": url, "rate_limit.storage": "redis://:pw@h/0", **named})


def rows(database: Database) -> list[Any]:
    """Return the rows of all hosts."""
    with database.reads.connect() as db:
        return [*db.execute(select(*Host.__table__.c).order_by(Host.name))]


def report(database: Database, settings: Settings, **shown: str) -> HostReport:
    facts = hosts.facts(settings, Path("/srv/forum"), b"build")
    return HostReport(database, facts, SECRET, shown)


def recorded(database: Database) -> list[Any]:
    """Return what the log has of settings, the oldest first."""
    with database.reads.connect() as db:
        own = AuditRecord.action == "settings.changed"
        texts = db.scalars(select(AuditRecord.details).where(own).order_by(AuditRecord.id))
        return [json.loads(text or "") for text in texts]


def test_a_start_with_other_settings_than_the_last_one_is_recorded(database, settings):
    for shown in ({"a": "1", "b": "2"}, {"a": "1", "b": "2"}, {"a": "3"}):
        task = report(database, settings, **shown)
        task.run()
        task.run()
    first, second = recorded(database)
    assert (first["changed"], second["changed"]) == (["a", "b"], ["a", "b"])
    assert (first["settings"], second["settings"]) == ({"a": "1", "b": "2"}, {"a": "3"})
    assert first["host"].endswith(":/srv/forum")


def test_settings_in_the_log_have_no_secrets(make_forum):
    forum = make_forum(
        rate_limit__storage="memory://",
        mail__password="a long password of ours",
        mail__delivery="folder",
    )
    threads = forum.registry.job_runner.threads - forum.registry.forum_settings["webhooks.most"]
    looking, making_backups = 1, 1
    assert threads + looking + making_backups == BACKGROUND_THREADS, "what `check` counts"
    report_host(forum.registry, Path("/srv/forum"))
    [record] = recorded(forum.database)
    assert "session.secret" in record["settings"]
    text = json.dumps(record)
    assert forum.registry.forum_settings["session.secret"] not in text
    assert "a long password of ours" not in text


def test_a_host_writes_itself_down_once_and_keeps_the_time_of_its_start(database, settings):
    task = report(database, settings)
    task.run()
    [first] = rows(database)
    assert first.name.endswith(":/srv/forum")
    assert first.started_at == first.seen_at
    assert abs(first.clock_offset) < 1000
    with database.session.begin() as db:
        db.execute(update(Host).values(started_at=1, seen_at=1))
    task.run()
    [again] = rows(database)
    assert again.started_at == 1
    assert again.seen_at >= first.seen_at
    report(database, settings).run()
    [restarted] = rows(database)
    assert restarted.started_at >= first.started_at


def test_the_row_has_no_secret_and_only_its_secret_matches(database, settings):
    task = report(database, settings)
    task.run()
    [row] = rows(database)
    assert SECRET not in str(row)
    assert row.settings["rate_limit.storage"] == "redis"
    assert hosts.has_secret(row, SECRET)
    assert not hosts.has_secret(row, SECRET[:-1] + "X")
    task.run()
    assert rows(database)[0].secret_digest != row.secret_digest


def test_a_host_is_alive_for_three_minutes_and_deleted_after_a_day(database, settings):
    report(database, settings).run()
    for minutes, is_alive, is_kept in ((2, True, True), (4, False, True), (25 * 60, False, False)):
        with database.session.begin() as db:
            ago = {"seen_at": round(clock.now().timestamp() * 1000) - minutes * 60_000}
            db.execute(update(Host).values(**ago))
        delete_all_expired(database, settings)
        assert bool(hosts.alive(database.executor)) is is_alive
        assert bool(rows(database)) is is_kept


def test_a_container_with_a_new_name_and_the_settings_of_the_last_one_records_nothing(database):
    with database.session.begin() as db:
        for number in range(3):
            settings_log.record_changes(db, clock.now(), f"container-{number}", {"a": "1"})
        settings_log.record_changes(db, clock.now(), "container-3", {"a": "1", "b": "2"})
    assert [(one["host"], one["changed"]) for one in recorded(database)] == [
        ("container-0", ["a"]),
        ("container-3", ["b"]),
    ]


def test_a_host_is_compared_with_its_own_last_record_however_many_others_have_started(database):
    with database.session.begin() as db:
        settings_log.record_changes(db, clock.now(), "first", {"a": "0"})
        for number in range(120):
            settings_log.record_changes(db, clock.now(), f"host-{number}", {"a": str(number + 1)})
        settings_log.record_changes(db, clock.now(), "first", {"a": "0"})
    assert [one["host"] for one in recorded(database)].count("first") == 1
