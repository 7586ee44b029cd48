"""deploy/backup.sh on both databases, and the restore of what it makes."""

import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc import migrate
from forumsvc.db.engine import Database
from forumsvc.models import Base
from tests.databases import new_url, on_postgresql, open_temporarily, plain_url
from tests.postgres_keeper import binaries
from tests.system.forum_process import prepare
from tests.system.process import PATIENCE
from tests.system.pserve import ROOT


def backup(*words: str, first: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run the script. first: a folder that is searched before the others."""
    path = os.environ["PATH"]
    return subprocess.run(
        ["sh", str(ROOT / "deploy" / "backup.sh"), *words],
        env={**os.environ, "PATH": f"{first}:{path}" if first else path},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_a_backup_has_the_rows_of_the_moment_and_the_photos(tmp_path: Path) -> None:
    file, photos, folder = tmp_path / "forum.sqlite", tmp_path / "photos", tmp_path / "backup"
    (photos / "ab").mkdir(parents=True)
    (photos / "ab" / "one.png").write_bytes(b"1")
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE one (n)")
        db.execute("INSERT INTO one VALUES (7)")
        db.commit()
        done = backup(str(folder), "3", str(file), str(photos))
    assert done.returncode == 0, done.stderr
    made = Path(done.stdout.strip())
    with sqlite3.connect(made / "forum.sqlite") as copy:
        assert copy.execute("SELECT n FROM one").fetchall() == [(7,)]
    assert (made / "photos" / "ab" / "one.png").read_bytes() == b"1"
    assert made.stat().st_mode & 0o077 == 0


def contents(database: Database) -> dict[str, list[Any]]:
    """Return the rows of all tables, by table."""
    with database.reads.connect() as db:
        return {
            table.name: sorted(map(repr, db.execute(select(table))))
            for table in Base.metadata.sorted_tables
        }


@on_postgresql
def test_a_backup_of_postgresql_is_restored_whole(
    database_url: str,
    database: Database,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    worker_id: str,
) -> None:
    prepare(database_url, database, tmp_path)
    before = contents(database)
    own = binaries(tmp_path, {}) / "bin"
    done = backup(str(tmp_path / "backup"), "3", plain_url(database_url), first=own)
    assert done.returncode == 0, done.stderr
    dump = Path(done.stdout.strip()) / "forum.dump"
    url = new_url("postgresql", "restored", tmp_path_factory, worker_id, empty=True)
    restore: list[str | Path] = [own / "pg_restore", "--exit-on-error", "--no-owner"]
    restore += [f"--dbname={plain_url(url)}", dump]
    subprocess.run(restore, check=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    with open_temporarily(url) as restored:
        assert contents(restored) == before
        assert migrate.current(restored.reads) == migrate.head()
    assert len(before["topics"]) == 2


def test_only_so_many_backups_stay_and_a_failed_one_is_none(tmp_path: Path) -> None:
    file, folder = tmp_path / "forum.sqlite", tmp_path / "backup"
    sqlite3.connect(file).close()
    file.touch()
    for day in range(1, 6):
        (folder / f"2026-01-0{day}T000000Z").mkdir(parents=True)
    assert backup(str(folder), "3", str(file)).returncode == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names[:2] == ["2026-01-04T000000Z", "2026-01-05T000000Z"]
    assert len(names) == 3
    assert backup(str(folder), "3", str(tmp_path / "none.sqlite")).returncode != 0
    assert sorted(path.name for path in folder.iterdir() if path.suffix != ".part") == names
