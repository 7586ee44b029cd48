"""`forumsvc photos check`."""

import io
import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select, update

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.media.limits import Limits
from forumsvc.media.local_storage import LocalStorage
from forumsvc.media.small_versions import small_path
from forumsvc.models import Photo, User
from forumsvc.services.photos import photos
from forumsvc.services.photos.audit import Findings, PhotoAudit
from forumsvc.services.photos.photos import Quota
from forumsvc.services.photos.storage import PhotoStorages
from tests.functional.cli.terminal import run_on_terminal
from tests.functional.rows import insert_row

NOTHING = {
    "files_without_row": 0,
    "small_without_photo": 0,
    "broken_files": 0,
    "rows_without_file": 0,
    "rows_elsewhere": 0,
    "wrong_rows": 0,
    "lost_avatars": 0,
    "lost_logos": 0,
    "unfinished_removed": 0,
}
TWO_HOURS_AGO = (clock.now() - timedelta(hours=2)).timestamp()

Upload = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of pictures beside the ini file."""
    return tmp_path / "var" / "photos"


@pytest.fixture
def owner(database: Database) -> int:
    with database.session.begin() as db:
        return insert_row(db, User, login="ann")


@pytest.fixture
def upload(database: Database, folder: Path, owner: int) -> Upload:
    """A function: upload a picture of a colour, long ago; return its name."""
    storages = PhotoStorages("local", {"local": LocalStorage(folder)})
    quota = Quota(owner, None)

    def make(colour: str = "red", *, row: bool = True, old: bool = True) -> str:
        data = io.BytesIO()
        Image.new("RGB", (8, 8), colour).save(data, "PNG")
        data.seek(0)
        with (
            database.reads.connect() as reader,
            photos.store(storages, photos.Decoding(Limits()), reader, quota, data) as picture,
        ):
            if row:
                with database.session.begin() as db:
                    photos.record(db, storages, quota, clock.now(), picture)
        if old:
            os.utime(folder / picture.name, (TWO_HOURS_AGO, TWO_HOURS_AGO))
        return picture.name

    return make


def rows(database: Database) -> list[str]:
    with database.reads.connect() as db:
        return list(db.execute(select(Photo.name).order_by(Photo.id)).scalars())


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.glob("*/*")}


def wrong(found: Any, **counts: int) -> None:
    """Assert what a check found, and that it said so by its exit code."""
    assert found.code == 1
    told = json.loads(found.out)
    assert {key: told[key] for key in NOTHING} == {**NOTHING, **counts}
    assert told["wrong"] == sum(counts.values())


def test_where_all_is_well_nothing_is_found_or_changed(run, database, folder, upload):
    name = upload()
    found = run("photos", "check", "--fix", "--every-byte", "--json", "--yes").json
    assert found == {"checked": 2, "wrong": 0, "fixed": 0, **NOTHING}
    assert (rows(database), files(folder)) == ([name], {name})


def _empty(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


DAMAGES: dict[str, tuple[Callable[[Path], None], dict[str, int], tuple[str, ...]]] = {
    "lost": (Path.unlink, {"rows_without_file": 1, "lost_avatars": 1}, ()),
    "cut short": (
        lambda path: os.truncate(path, 20),
        {"broken_files": 1, "rows_without_file": 1, "lost_avatars": 1},
        (),
    ),
    "other bytes of the same size": (
        _empty,
        {"broken_files": 1, "rows_without_file": 1, "lost_avatars": 1},
        ("--every-byte",),
    ),
}
"""What happens to a file, what is found then, and by which option alone."""


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_found_and_goes_with_its_row_and_the_picture_can_come_back(
    run, database, folder, upload, damage
):
    spoil, found, options = DAMAGES[damage]
    kept, lost = upload("red"), upload("blue")
    with database.session.begin() as db:
        db.execute(update(User).values(avatar=lost))
    spoil(folder / lost)
    if options:
        assert run("photos", "check", "--json").json["wrong"] == 0
    wrong(run("photos", "check", *options, "--json"), **found)
    run("photos", "check", *options, "--fix", "--delete-lost", "--yes")
    assert (rows(database), files(folder)) == ([kept], {kept})
    with database.reads.connect() as db:
        assert db.execute(select(User.avatar)).scalar_one() == ""
    assert upload("blue") == lost
    assert run("photos", "check", "--json").json["wrong"] == 0


def test_a_file_without_a_row_is_deleted_unless_it_may_still_wait_for_one(run, folder, upload):
    kept = upload("red")
    upload("blue", row=False)
    waiting = upload("green", row=False, old=False)
    again = upload("yellow", row=False)
    assert upload("yellow", row=False, old=False) == again
    wrong(run("photos", "check", "--json"), files_without_row=1)
    assert run("photos", "check", "--fix", "--json", "--yes").json["fixed"] == 1
    assert files(folder) == {kept, waiting, again}
    assert run("photos", "check", "--json").json["wrong"] == 0


def test_a_small_version_that_a_crash_left_behind_is_found_and_deleted(run, folder, upload):
    kept, deleted = upload("red"), upload("blue", row=False)
    for name in (kept, deleted):
        LocalStorage(folder).put_small(name, io.BytesIO(b"small"))
        os.utime(folder / small_path(name), (TWO_HOURS_AGO, TWO_HOURS_AGO))
    (folder / deleted).unlink()
    wrong(run("photos", "check", "--json"), small_without_photo=1)
    assert run("photos", "check", "--fix", "--json", "--yes").json["fixed"] == 1
    assert [small.name for small in LocalStorage(folder).list_small()] == [kept]


def test_a_file_that_is_uploaded_between_check_and_fix_stays(run, folder, upload, monkeypatch):
    name, fix = upload("blue", row=False), PhotoAudit.fix

    def upload_and_fix(audit: PhotoAudit, findings: Findings, **options: bool) -> int:
        assert findings.unreferenced == [("local", name)]
        upload("blue", row=False, old=False)
        return fix(audit, findings, **options)

    monkeypatch.setattr(PhotoAudit, "fix", upload_and_fix)
    run("photos", "check", "--fix", "--json", "--yes")
    assert files(folder) == {name}


def test_a_row_of_another_size_or_digest_than_its_good_file_is_corrected(run, database, upload):
    name = upload()
    with database.session.begin() as db:
        right = db.execute(select(Photo.size, Photo.digest)).one()
        db.execute(update(Photo).values(size=1, digest="0" * 64))
    wrong(run("photos", "check", "--json"), wrong_rows=1)
    run("photos", "check", "--fix", "--yes")
    with database.reads.connect() as db:
        assert db.execute(select(Photo.name, Photo.size, Photo.digest)).one() == (name, *right)


def test_fix_keeps_what_another_host_may_have_in_a_folder_of_its_own(run, database, folder, upload):
    theirs = upload("red"), upload("green")
    with database.session.begin() as db:
        db.execute(update(User).values(avatar=theirs[0]))
    other_folder = folder.rename(folder.with_name("of_another_host"))
    ours = upload("blue")
    spare = upload("yellow", row=False)
    found = run("photos", "check", "--fix", "--yes")
    assert found.code == 1
    assert "2 rows and 1 avatars are kept" in found.err
    assert "--delete-lost" in found.err
    assert (rows(database), files(folder)) == ([*theirs, ours], {ours})
    assert not (folder / spare).exists()
    # The folders become one.
    for name in theirs:
        (folder / name).parent.mkdir(exist_ok=True)
        (other_folder / name).rename(folder / name)
    assert run("photos", "check", "--json").json["wrong"] == 0


@pytest.mark.extended
@pytest.mark.parametrize(
    ("options", "said", "kept"), [([], False, 1), (["--delete-lost"], True, 0)]
)
def test_a_terminal_is_warned_and_asked_before_rows_are_deleted(
    ini, database, folder, upload, *, options, said, kept
):
    upload("red", row=False)
    upload("green")
    (folder / upload("blue")).unlink()
    typed = run_on_terminal(ini, "photos", "check", "--fix", *options, answer="y\n")
    assert ("no other host" in " ".join(typed.shown.split())) is said
    assert len(rows(database)) == 1 + kept


def test_what_killed_uploads_left_behind_is_removed(run, folder, upload):
    name = upload()
    left = folder / name[:2] / ".unfinished-x"
    left.write_bytes(b"half")
    os.utime(left, (TWO_HOURS_AGO, TWO_HOURS_AGO))
    assert run("photos", "check", "--fix", "--json", "--yes").json["unfinished_removed"] == 1
    assert files(folder) == {name}


def test_a_storage_without_any_of_the_pictures_is_taken_for_a_wrong_setting(
    run, database, folder, upload
):
    name = upload()
    folder.rename(folder.with_name("elsewhere"))
    assert "has no photo at all" in run("photos", "check", "--fix", "--json", "--yes").refusal
    assert rows(database) == [name]


def test_a_storage_that_cannot_be_read_is_an_error_of_one_line(run, folder, upload):
    name = upload()
    os.truncate(folder / name, 5)
    (folder / name).unlink()
    (folder / name).mkdir()
    assert "storage cannot be used" in run("photos", "check", "--json").refusal
