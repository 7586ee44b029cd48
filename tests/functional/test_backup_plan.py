"""When a backup is due by the plan."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from forumsvc import clock
from forumsvc.background.backups import BackupPlan
from forumsvc.db.engine import Database
from forumsvc.models import Job
from forumsvc.services import backups, deployment
from forumsvc.settings import Settings
from tests.functional.forum import SECRET

pytestmark = pytest.mark.both_databases


@pytest.fixture
def plan(database: Database) -> BackupPlan:
    url = database.url.render_as_string(hide_password=False)
    required = {"sqlalchemy.url": url, "session.secret": SECRET, "site.environment": "development"}
    return BackupPlan(database, Settings({**required, "backup.every_hours": "24"}))


def test_none_is_due_in_a_copy_whose_folder_may_be_that_of_the_living_forum(
    database: Database, plan: BackupPlan
) -> None:
    with database.session.begin() as db:
        deployment.mark_as_copy(db, clock.now())
    plan.run()
    with database.session.begin() as db:
        assert db.scalars(select(Job.id)).all() == []
        deployment.adopt(db, "")
    plan.run()
    with database.reads.connect() as db:
        assert len(db.scalars(select(Job.id)).all()) == 1


def test_one_is_due_again_when_the_last_one_or_the_last_attempt_is_old_enough(
    database: Database, plan: BackupPlan
) -> None:
    def states() -> list[str]:
        plan.run()
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
