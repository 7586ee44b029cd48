"""`forumsvc doctor`: an SQLite file."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text

from forumsvc.doctor import folders, sqlite
from tests.databases import on_sqlite

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / {folder} rw,relatime shared:2 - {kind} server:/export rw
"""


@on_sqlite
@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_a_file_on_a_network_file_system_is_an_error(
    examine, database, tmp_path, monkeypatch, kind
):
    mounts = tmp_path / "mountinfo"
    folder = str(Path(database.url.database or "").resolve().parent).replace(" ", "\\040")
    mounts.write_text(MOUNTS.format(folder=folder, kind=kind))
    monkeypatch.setattr(folders, "MOUNTS", mounts)
    assert f"network file system ({kind})" in examine().only("error", "database")


def test_a_file_system_of_the_machine_is_no_network(tmp_path, monkeypatch):
    mounts = tmp_path / "mountinfo"
    monkeypatch.setattr(folders, "MOUNTS", mounts)
    assert folders.network_file_system(tmp_path) is None  # no such system
    mounts.write_text(MOUNTS.format(folder=tmp_path / "nfs", kind="nfs"))
    assert folders.network_file_system(tmp_path) is None
    assert folders.network_file_system(tmp_path / "nfs" / "inside") == "nfs"


@on_sqlite
def test_a_large_log_is_a_warning(examine, monkeypatch):
    monkeypatch.setattr(sqlite, "_LARGE_LOG", 1)
    assert "-wal has " in examine().only("warning", "database")


@on_sqlite
def test_a_damaged_file_is_found_by_the_deep_examination(examine, ini, tmp_path, database):
    copy = tmp_path / "copy.sqlite"
    with database.writes.connect() as db:
        db.execute(text("COMMIT"))
        db.execute(text(f"VACUUM INTO '{copy}'"))
    ini.write_text(ini.read_text().replace(database.url.database or "", str(copy)))
    assert examine("--deep").faults == []
    with sqlite3.connect(copy) as file:
        select = "SELECT rootpage FROM sqlite_master WHERE name = 'reply_likes'"
        [page] = file.execute(select).fetchone()
        [size] = file.execute("PRAGMA page_size").fetchone()
    with copy.open("r+b") as pages:
        pages.seek((page - 1) * size)
        pages.write(b"\xff" * 100)
    assert examine().faults == []
    assert "is damaged: " in examine("--deep").faults[0][2]
