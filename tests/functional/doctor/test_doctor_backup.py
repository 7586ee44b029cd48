"""`forumsvc doctor`: the last backup and its folder."""

import os
import time
from datetime import timedelta
from pathlib import Path

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.services import backups
from tests.databases import on_sqlite
from tests.functional.doctor.conftest import Examine

pytestmark = on_sqlite


def made(database: Database, hours: float) -> None:
    with database.session.begin() as db:
        backups.record(db, clock.now() - timedelta(hours=hours), "forum.tar")


def test_without_a_folder_and_a_backup_it_is_said(examine: Examine) -> None:
    assert examine().infos("backup")[0].startswith("backup.dir is not set")


def test_the_last_backup_must_be_there_and_young_enough(
    examine: Examine, tmp_path: Path, database: Database
) -> None:
    (tmp_path / "backup").mkdir()
    # A file says nothing: it may be half, or of another forum.
    (tmp_path / "backup" / "forum.tar").write_bytes(b"x")
    plan = {"backup__dir": "backup", "backup__max_age_hours": 24}
    assert "ever made" in examine(**plan).only("error", "backup")
    made(database, 25)
    message = examine(**plan).only("error", "backup")
    assert "25 hours old, and backup.max_age_hours is 24" in message
    assert "25 hours old" in examine(backup__max_age_hours=24).only("error", "backup")
    made(database, 23)
    assert examine(**plan).faults == []
    assert "below" in examine(**plan, backup__every_hours=48).only("warning", "backup")


def test_a_folder_that_is_missing_and_a_killed_backup_are_found(
    examine: Examine, tmp_path: Path, database: Database
) -> None:
    made(database, 1)
    assert "is no folder" in examine(backup__dir="backup").only("error", "backup")
    part = tmp_path / "backup" / "forum-1.tar.part"
    part.parent.mkdir()
    part.touch()
    assert examine(backup__dir="backup").faults == []
    os.utime(part, (time.time() - 7300,) * 2)
    assert "unfinished for 2 hours" in examine(backup__dir="backup").only("warning", "backup")
