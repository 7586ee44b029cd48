"""When a backup is due by the plan, and what the log and the job say of one that was made."""

import fcntl
import io
import logging
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from forumsvc import clock
from forumsvc.background import backups as plans
from forumsvc.background.backups import BackupMaker, enqueue_backup
from forumsvc.background.job_runner import JobRunner
from forumsvc.background.maintenance import delete_all_expired
from forumsvc.db.engine import Database
from forumsvc.media.local_storage import LocalStorage
from forumsvc.models import Job, JobKind, User
from forumsvc.services import backups, deployment, jobs
from forumsvc.settings import Settings
from tests.databases import on_postgresql
from tests.functional.cli.conftest import INI, run_command
from tests.functional.forum import SECRET
from tests.functional.rows import insert_row
from tests.functional.test_backup import FIRST, SECOND, name_of

pytestmark = pytest.mark.both_databases


def settings_of(database: Database, **more: str) -> Settings:
    url = database.url.render_as_string(hide_password=False)
    required = {"sqlalchemy.url": url, "session.secret": SECRET, "site.environment": "development"}
    return Settings(required | more)


@pytest.fixture
def plan(database: Database) -> Callable[[], int]:
    settings = settings_of(database, **{"backup.every_hours": "24"})
    return lambda: sum(enqueue_backup(database, settings))


@pytest.fixture
def runner(database: Database, tmp_path: Path) -> JobRunner:
    """A runner with a backup to make, of a forum with an ini file."""
    url = database.url.render_as_string(hide_password=False)
    plan = {"backup.every_hours": "24", "backup.dir": "backups", "backup.keep": "7"}
    lines = (f"{name} = {value}\n" for name, value in {**plan, "photos.dir": "photos"}.items())
    ini = tmp_path / "forum.ini"
    ini.write_text(INI.format(url=url.replace("%", "%%")) + "".join(lines))
    (tmp_path / "backups").mkdir()
    with database.session.begin() as db:
        jobs.enqueue(db, JobKind.BACKUP, clock.now(), {})
    return JobRunner(database, [BackupMaker(database, settings_of(database, **plan), ini)], 1.0)


def test_the_log_names_photos_that_have_no_file(database, runner, tmp_path, caplog):
    LocalStorage(tmp_path / "photos").put(name_of(FIRST), io.BytesIO(FIRST), "image/png")
    with database.session.begin() as db:
        for login, content in (("ann", FIRST), ("ben", SECOND)):
            insert_row(db, User, login=login, avatar=name_of(content))
    with caplog.at_level(logging.WARNING):
        assert runner.run_due(JobKind.BACKUP) == 1
    [said] = caplog.messages
    assert f"missing or damaged: 1 ({name_of(SECOND)})" in said
    [made] = (tmp_path / "backups").glob("*.tar")
    assert "1 photos that rows name are not in it" in run_command("backup", "verify", made).out


def test_it_waits_for_a_backup_that_is_made_by_hand(database, runner, tmp_path):
    with open(tmp_path / "backups" / ".forumsvc-backup.lock", "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert runner.run_due(JobKind.BACKUP) == 1
    with database.session.begin() as db:
        [job] = db.scalars(select(Job)).all()
        assert (job.state, job.attempts) == ("waiting", 0)
        assert clock.now() < job.due_at < clock.now() + timedelta(minutes=10)
        job.due_at = clock.now()
    assert runner.run_due(JobKind.BACKUP) == 1
    with database.reads.connect() as db:
        assert db.scalars(select(Job.id)).all() == []
        assert backups.last_made_at(db) is not None


@on_postgresql
def test_it_is_tried_again_soon_where_the_database_was_away(database, runner, tmp_path):
    ini = tmp_path / "forum.ini"
    ini.write_text(ini.read_text().replace(f":{database.url.port}/", ":1/"))
    assert runner.run_due(JobKind.BACKUP) == 1
    with database.reads.connect() as db:
        [job] = db.execute(select(Job.state, Job.attempts, Job.due_at)).all()
    assert (job.state, job.attempts) == ("waiting", 0)
    assert clock.now() < job.due_at < clock.now() + timedelta(minutes=10)


def test_none_is_due_in_a_copy_whose_folder_may_be_that_of_the_living_forum(database, plan):
    with database.session.begin() as db:
        deployment.mark_as_copy(db, clock.now())
    plan()
    with database.session.begin() as db:
        assert db.scalars(select(Job.id)).all() == []
        deployment.adopt(db, "")
    plan()
    with database.reads.connect() as db:
        assert len(db.scalars(select(Job.id)).all()) == 1


def test_one_is_due_again_when_the_last_one_or_the_last_attempt_is_old_enough(database, plan):
    def states() -> list[str]:
        plan()
        with database.reads.connect() as db:
            return list(db.scalars(select(Job.state).order_by(Job.id)))

    def change(**values: object) -> None:
        with database.session.begin() as db:
            db.execute(update(Job).values(values))

    assert states() == states() == ["waiting"]
    change(state="failed")
    assert states() == ["failed"]
    change(created_at=clock.now() - timedelta(hours=25))
    assert states() == states() == ["failed", "waiting"]
    change(state="failed", created_at=clock.now() - timedelta(hours=25))
    with database.session.begin() as db:
        backups.record(db, clock.now() - timedelta(hours=23), "by hand.tar")
    assert states() == ["failed", "failed"]
    with database.session.begin() as db:
        backups.record(db, clock.now() - timedelta(hours=25), "by hand.tar")
    assert states() == ["failed", "failed", "waiting"]


def test_a_backup_that_takes_too_long_is_ended_and_its_job_fails(
    database, runner, tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(plans, "_LONGEST", 0)
    monkeypatch.setattr(plans, "_POLL_SECONDS", 0.01)
    assert runner.run_due(JobKind.BACKUP) == 1
    with database.reads.connect() as db:
        [job] = db.execute(select(Job.state, Job.error)).all()
    assert (job.state, job.error) == ("failed", "the backup took longer than 0.0 hours")
    assert "the backup took longer" in caplog.text
    assert [*(tmp_path / "backups").glob("*.tar")] == []


def test_the_job_of_a_plan_that_was_switched_off_goes_away(database):
    now = clock.now()
    earlier, later = now - timedelta(hours=2), now + timedelta(hours=2)
    times = {
        "nobody claims it": (earlier, None),
        "its process has died": (earlier, earlier),
        "it is made": (earlier, later),
        "another host makes it soon": (now, None),
    }
    with database.session.begin() as db:
        for key, (due_at, locked_until) in times.items():
            given = {"due_at": due_at, "locked_until": locked_until, "created_at": due_at}
            insert_row(db, Job, kind="backup", key=key, data={}, **given)
    delete_all_expired(database, settings_of(database))
    with database.reads.connect() as db:
        left = db.scalars(select(Job.key).order_by(Job.id)).all()
    assert left == ["it is made", "another host makes it soon"]
