"""`forumsvc doctor`: the last backup and its folder."""

import os
import time
from datetime import timedelta

from forumsvc import clock
from forumsvc.services import backups
from tests.databases import on_sqlite

pytestmark = on_sqlite


def test_a_folder_says_nothing_of_a_backup_but_that_one_was_killed(examine, tmp_path, database):
    part = tmp_path / "backup" / "forum-1.tar.part"
    part.parent.mkdir()
    part.touch()
    # It may be half, or of another forum.
    part.with_suffix("").touch()
    assert "ever made" in examine(backup__dir="backup").only("error", "backup")
    with database.session.begin() as db:
        backups.record(db, clock.now() - timedelta(hours=1), "forum.tar")
    assert examine(backup__dir="backup").faults == []
    os.utime(part, (time.time() - 7300,) * 2)
    assert "unfinished for 2 hours" in examine(backup__dir="backup").only("warning", "backup")
