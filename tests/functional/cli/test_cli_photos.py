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
from forumsvc.media.storage import LocalStorage
from forumsvc.models import Photo, User
from forumsvc.services.photos import photos
from forumsvc.services.photos.photos import Quota
from forumsvc.services.photos.storage import PhotoStorages
from tests.functional.cli.terminal import run_on_terminal
from tests.functional.rows import insert_row

NOTHING = {
    "files_without_row": 0,
    "broken_files": 0,
    "rows_without_file": 0,
    "rows_elsewhere": 0,
    "wrong_rows": 0,
    "lost_avatars": 0,
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


def test_a_file_without_a_row_is_found_and_deleted(run, folder, upload):
    kept = upload("red")
    upload("blue", row=False)
    wrong(run("photos", "check", "--json"), files_without_row=1)
    assert run("photos", "check", "--fix", "--json", "--yes").json["fixed"] == 1
    assert files(folder) == {kept}
    assert run("photos", "check", "--json").json["wrong"] == 0


def test_a_file_that_may_still_be_waiting_for_its_row_is_left_alone(run, folder, upload):
    name = upload(row=False, old=False)
    assert run("photos", "check", "--fix", "--json", "--yes").json["wrong"] == 0
    assert files(folder) == {name}


def test_a_forgotten_file_that_is_uploaded_again_is_left_alone(run, folder, upload):
    name = upload(row=False)
    assert upload(row=False, old=False) == name
    assert run("photos", "check", "--fix", "--json", "--yes").json["wrong"] == 0
    assert files(folder) == {name}


def test_a_row_without_its_file_is_found_and_deleted_and_the_picture_can_come_back(
    run, database, folder, upload
):
    kept, lost = upload("red"), upload("blue")
    (folder / lost).unlink()
    wrong(run("photos", "check", "--json"), rows_without_file=1)
    assert run("photos", "check", "--fix", "--delete-lost", "--json", "--yes").json["fixed"] == 1
    assert rows(database) == [kept]
    assert upload("blue") == lost
    assert run("photos", "check", "--json").json["wrong"] == 0


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


def test_a_user_whose_picture_is_lost_gets_the_letter_again(run, database, folder, upload, owner):
    upload("red")
    lost = upload("blue")
    with database.session.begin() as db:
        db.execute(update(User).values(avatar=lost))
    (folder / lost).unlink()
    wrong(run("photos", "check", "--json"), rows_without_file=1, lost_avatars=1)
    run("photos", "check", "--fix", "--delete-lost", "--yes")
    with database.reads.connect() as db:
        assert db.execute(select(User.avatar)).scalar_one() == ""


def test_a_file_cut_short_is_found_by_its_size_and_deleted_with_its_row(
    run, database, folder, upload
):
    kept, cut = upload("red"), upload("blue")
    os.truncate(folder / cut, 20)
    wrong(run("photos", "check", "--json"), broken_files=1, rows_without_file=1)
    run("photos", "check", "--fix", "--delete-lost", "--yes")
    assert (rows(database), files(folder)) == ([kept], {kept})


def test_a_file_with_other_bytes_of_the_same_size_is_found_where_every_byte_is_read(
    run, database, folder, upload
):
    kept, spoilt = upload("red"), upload("blue")
    path = folder / spoilt
    path.write_bytes(bytes(path.stat().st_size))
    assert run("photos", "check", "--json").json["wrong"] == 0
    wrong(run("photos", "check", "--every-byte", "--json"), broken_files=1, rows_without_file=1)
    run("photos", "check", "--every-byte", "--fix", "--delete-lost", "--yes")
    assert (rows(database), files(folder)) == ([kept], {kept})


def test_a_row_of_another_size_or_digest_than_its_good_file_is_corrected(run, database, upload):
    name = upload()
    with database.session.begin() as db:
        right = db.execute(select(Photo.size, Photo.digest)).one()
        db.execute(update(Photo).values(size=1, digest="0" * 64))
    wrong(run("photos", "check", "--json"), wrong_rows=1)
    run("photos", "check", "--fix", "--yes")
    with database.reads.connect() as db:
        assert db.execute(select(Photo.name, Photo.size, Photo.digest)).one() == (name, *right)


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
