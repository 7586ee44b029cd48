"""`forumsvc backup` and `forumsvc restore`."""

import hashlib
from pathlib import Path

import pytest
from sqlalchemy import select

from forumsvc import migrate
from forumsvc.db.engine import Database
from forumsvc.dump.manifest import Manifest, Member, Photos
from forumsvc.models import LastBackup, User
from tests.cases import each
from tests.functional import dump_rows
from tests.functional.background_jobs import let_worker_live_long
from tests.functional.cli.terminal import run_on_terminal
from tests.functional.rows import insert_row
from tests.functional.test_backup import write_members


@pytest.fixture
def ann(database: Database) -> int:
    with database.session.begin() as db:
        return insert_row(db, User, login="ann")


def recorded(database: Database) -> str | None:
    with database.reads.connect() as db:
        return db.scalar(select(LastBackup.file))


def logins(database: Database) -> list[str]:
    with database.reads.connect() as db:
        return list(db.scalars(select(User.login).where(User.is_builtin.is_(False))))


def test_only_a_verified_backup_counts_as_the_last_one(run, ann, database, tmp_path):
    made = run("backup", "--no-verify", tmp_path / "b-1.tar")
    assert (made.code, "not verified" in made.out) == (0, True)
    assert recorded(database) is None
    made = run("backup", "--keep", 1, "--json", tmp_path / "b-2.tar")
    assert made.json["removed"] == [str(tmp_path / "b-1.tar")]
    assert recorded(database) == str(tmp_path / "b-2.tar")
    assert run("backup", "verify", tmp_path / "b-2.tar", "--json").json["photos"] == 0
    assert "already" in run("backup", tmp_path / "b-2.tar").refusal
    assert "no such" in run("backup", tmp_path / "missing" / "b-2.tar").refusal.lower()
    assert run("backup", tmp_path / "b-2").code == 2


def test_a_backup_without_the_photos_of_this_machine_is_not_the_last_one(
    run, ini, ann, database, tmp_path
):
    with database.session.begin() as db:
        db.get_one(User, ann).avatar = f"00/{'0' * 64}.png"
    made = run("backup", "--no-photos", tmp_path / "b-1.tar")
    assert "does not count" in made.out
    assert recorded(database) is None
    ini.write_text(f"{ini.read_text()}photos.storage = s3\nphotos.s3_bucket = photos\n")
    assert run("backup", "--no-photos", tmp_path / "b-2.tar").code == 0
    assert recorded(database) == str(tmp_path / "b-2.tar")


def test_a_restore_asks_before_it_replaces_and_is_refused_without_replace(
    run, ini, ann, database, tmp_path
):
    file = tmp_path / "b.tar"
    assert run("backup", file).code == 0
    with database.session.begin() as db:
        insert_row(db, User, login="ben")
    assert "--replace" in run("restore", file).refusal
    assert run("restore", "--replace", file).code == 2
    refused = run_on_terminal(ini, "restore", "--replace", file, answer="n\n")
    assert (refused.code, "Nothing was changed" in refused.shown) == (1, True)
    assert sorted(logins(database)) == ["ann", "ben"]
    restored = run("restore", "--replace", "--yes", file)
    assert "db adopt" in restored.out
    assert logins(database) == ["ann"]
    # The backups of the former database are no backups of this one.
    assert recorded(database) is None


@pytest.mark.both_databases
def test_a_restore_replaces_nothing_under_a_service_that_runs(
    run, ann, database, tmp_path, monkeypatch
):
    file = tmp_path / "b.tar"
    assert run("backup", file).code == 0
    with database.session.begin() as db:
        insert_row(db, User, login="ben")
    let_worker_live_long(database, monkeypatch)
    assert "forum-1-4711)" in run("restore", "--replace", "--yes", file).refusal
    assert sorted(logins(database)) == ["ann", "ben"]
    assert run("restore", "--replace", "--yes", "--force", file).code == 0
    assert logins(database) == ["ann"]


def hostile_backup(path: Path, line: bytes, files: float = 0) -> Path:
    """Write a backup with this line of photos, and all digests right."""
    dump = dump_rows.write(path.with_suffix(""), {"photos": [line]}, secrets=True)
    rows = (dump / "photos.ndjson.gz").read_bytes()
    tables = {"photos": Member(1, hashlib.sha256(rows).hexdigest())}
    photos = Photos(files, 0, ())  # type: ignore[arg-type]  # JSON may have Infinity
    manifest = Manifest("1", migrate.head(), "2026-01-31T09:05:00Z", True, tables, "", photos)
    members = {"photos.ndjson.gz": rows, "manifest.json": manifest.to_json()}
    return write_members(path, members)


@each(
    ("name", "line", "files"),
    [
        ("list", b"[1]", 0),
        ("null", b"null", 0),
        ("broken", b"{x", 0),
        ("number", b'{"id": ' + b"9" * 5_000 + b"}", 0),
        ("bytes", b'{"name": "\xff"}', 0),
        ("infinity", b"{}", float("inf")),
    ],
)
def test_a_hostile_backup_is_refused_in_one_line(run, ann, database, tmp_path, name, line, files):
    file = hostile_backup(tmp_path / f"{name}.tar", line, files)
    said = "photos needs files" if files else "photos.ndjson.gz line 1: "
    assert said in run("backup", "verify", file).refusal
    assert said in run("restore", "--replace", "--yes", file).refusal
    assert logins(database) == ["ann"]
