"""`forumsvc doctor`: the newest backup."""

import os
import time
from pathlib import Path

import pytest

from tests.databases import on_sqlite
from tests.functional.doctor.conftest import Examine

pytestmark = on_sqlite

HOUR = 3600


def write(file: Path, hours: float, content: bytes = b"x") -> None:
    """Write a file of this age."""
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_bytes(content)
    then = time.time() - hours * HOUR
    os.utime(file, (then, then))


def test_without_a_folder_of_backups_it_is_said_that_none_is_examined(examine: Examine) -> None:
    assert examine().infos("backup")[0].startswith("backup.dir is not set")


def test_the_newest_file_below_the_folder_must_be_young_enough(
    examine: Examine, tmp_path: Path
) -> None:
    write(tmp_path / "backup" / "forum.dump", 50)
    write(tmp_path / "backup" / "today" / "forum.dump", 25)
    assert examine(backup__dir="backup").faults == []
    plan = {"backup__dir": tmp_path / "backup", "backup__max_age_hours": 24}
    message = examine(**plan).only("error", "backup")
    assert "today/forum.dump, is 25 hours old, and backup.max_age_hours is 24" in message


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (None, "is no folder"),
        ("", "has no file"),
        ("forum.dump", "forum.dump, is empty"),
    ],
)
def test_a_folder_without_a_backup_is_an_error(
    examine: Examine, tmp_path: Path, made: str | None, message: str
) -> None:
    if made is not None:
        (tmp_path / "backup").mkdir()
    if made:
        write(tmp_path / "backup" / made, 1, b"")
    assert message in examine(backup__dir="backup").only("error", "backup")
