"""Photos in two storages: reading, checking and moving them."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from forumsvc.db.engine import Database
from forumsvc.media.s3 import S3Storage
from forumsvc.models import Photo
from tests.functional.cli.conftest import INI, run_command
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person
from tests.functional.test_photos import picture, send, stored
from tests.object_store import bucket as bucket
from tests.object_store import endpoint as endpoint
from tests.object_store import s3_settings

COLOURS = ("red", "green", "blue", "white")


class Storages:
    """A folder and a bucket for photos, and what services and commands do with them.

    both: the settings of the bucket, beside those of the folder.
    """

    def __init__(
        self, make_forum: MakeForum, database: Database, tmp_path: Path, bucket: Any, endpoint: str
    ) -> None:
        self._make_forum, self._tmp_path = make_forum, tmp_path
        self.database, self.bucket = database, bucket
        self.folder = tmp_path / "var" / "photos"
        self.both = s3_settings(endpoint, bucket.name)

    def open(self, **settings: str) -> Forum:
        """Return a service with these settings, by default with those of both storages."""
        return self._make_forum(**(settings or self.both))

    def command(self, *words: str, **settings: str) -> Any:
        """Run `forumsvc photos …`, by default with the settings of both storages."""
        return self.run("photos", *words, **settings)

    def run(self, *words: object, **settings: str) -> Any:
        """Run the command, by default with the settings of both storages."""
        url = self.database.url.render_as_string(hide_password=False).replace("%", "%%")
        lines = [f"{name} = {value}" for name, value in (settings or self.both).items()]
        path = self._tmp_path / "forum.ini"
        path.write_text(INI.format(url=url) + "\n".join(["", *lines, ""]))
        return run_command("-c", path, *words, "--json")

    def copy(self, *options: str, source: str = "local", target: str = "s3") -> Any:
        return self.command("copy", "--from", source, "--to", target, *options)

    def places(self) -> list[str | None]:
        with self.database.reads.connect() as db:
            return list(db.execute(select(Photo.storage).order_by(Photo.id)).scalars())

    def files(self) -> tuple[int, int]:
        return len(stored(self.folder)), len(list(self.bucket.objects.all()))


@pytest.fixture
def storages(
    make_forum: MakeForum, database: Database, tmp_path: Path, bucket: Any, endpoint: str
) -> Storages:
    return Storages(make_forum, database, tmp_path, bucket, endpoint)


def upload(person: Person, *colours: str) -> list[str]:
    """Upload an image of each color and return the URLs."""
    answers = [send(person, picture(colour)) for colour in colours]
    assert [answer.status_int for answer in answers] == [201] * len(colours)
    return [answer.json["image_url"] for answer in answers]


def check_served(forum: Forum, urls: list[str]) -> None:
    """Check that the service serves every photo or redirects to it."""
    for url in urls:
        answer = forum.app.get(url)
        assert answer.status_int in (200, 302)
        if answer.status_int == 200:
            assert len(answer.body) == int(answer.headers["Content-Length"])


def test_after_a_change_of_the_storage_check_fix_deletes_nothing_and_all_is_served(storages):
    before = storages.open(**{"photos.storage": "local"})
    alice = before.person("alice")
    urls = upload(alice, "red", "green")
    changed = {**storages.both, "photos.storage": "s3"}
    after = storages.open(**changed)
    urls += upload(Person(after.app, alice.token, alice.id, "alice"), "blue")
    assert storages.places() == ["local", "local", "s3"]
    found = storages.command("check", "--fix", **changed)
    assert (found.code, json.loads(found.out)["wrong"]) == (0, 0)
    # Another machine, whose folder is empty.
    changed["photos.dir"] = "nothing/here"
    for fix in ((), ("--fix",)):
        found = storages.command("check", *fix, **changed)
        report = json.loads(found.out)
        assert (found.code, report["rows_elsewhere"], report["fixed"]) == (1, 2, 0)
        assert "photos.dir" in found.err or not fix
    assert storages.places() == ["local", "local", "s3"]
    assert storages.files() == (2, 1)
    check_served(after, urls)


def test_a_copy_to_the_bucket_and_back_moves_the_rows_and_keeps_the_originals(storages):
    forum = storages.open()
    alice = forum.person("alice")
    urls = upload(alice, *COLOURS)
    avatar = alice.put("/users/me", avatar=urls[0]).json["avatar_url"]
    report = storages.copy().json
    found = [report[name] for name in ("copied", "missing", "broken", "deleted")]
    assert (found, storages.places()) == ([5, 0, 0, 0], ["s3"] * 5)
    assert storages.files() == (5, 5)
    assert forum.app.get(urls[0]).status_int == 302
    assert storages.copy().json["copied"] == 0
    assert storages.copy("--delete", "--yes").json["deleted"] == 5
    assert storages.files() == (0, 5)
    check_served(forum, [*urls, avatar])
    report = storages.copy("--delete", "--yes", source="s3", target="local").json
    assert (report["copied"], report["deleted"]) == (5, 5)
    assert (storages.places(), storages.files()) == (["local"] * 5, (5, 0))
    assert all(forum.app.get(url).status_int == 200 for url in [*urls, avatar])
    assert storages.command("check", "--every-byte").json["wrong"] == 0


def test_a_copy_that_was_stopped_goes_on(storages, monkeypatch):
    upload(storages.open().person("alice"), *COLOURS)
    put, names = S3Storage.put, set()

    def fail(self: S3Storage, name: str, *rest: Any) -> bool:
        names.add(name)
        if len(names) == 3:
            raise OSError("the network is away")
        return put(self, name, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(S3Storage, "put", fail)
        found = storages.copy("--delete", "--yes")
    assert (found.code, "network is away" in found.err) == (1, True)
    assert storages.places() == ["s3", "s3", "local", "local"]
    report = storages.copy("--delete", "--yes").json
    assert (report["copied"], report["deleted"], report["kept"]) == (2, 4, 0)


def test_a_file_that_is_broken_or_missing_is_reported_and_its_row_stays(storages):
    urls = upload(storages.open().person("alice"), *COLOURS)
    first, second = ("/".join(url.split("/")[-2:]) for url in urls[:2])
    (storages.folder / first).unlink()
    (storages.folder / second).write_bytes(b"x")
    found = storages.copy("--delete", "--yes")
    report = json.loads(found.out)
    assert found.code == 1
    assert [report[key] for key in ("copied", "missing", "broken", "deleted")] == [2, 1, 1, 2]
    assert storages.places() == ["local", "local", "s3", "s3"]


def test_bytes_in_the_target_that_are_not_right_are_replaced(storages):
    forum = storages.open()
    [url] = upload(forum.person("alice"), "red")
    size = len(forum.app.get(url).body)
    name = "/".join(url.split("/")[-2:])
    storages.bucket.put_object(Key=name, Body=b"x" * size)
    assert storages.copy().json["copied"] == 1
    assert storages.bucket.Object(name).get()["Body"].read() != b"x" * size


def test_what_is_uploaded_again_meanwhile_is_not_lost_to_the_deletion(storages):
    forum = storages.open()
    alice, bob = forum.person("alice"), forum.person("bob")
    [url] = upload(alice, "red")
    storages.copy()
    assert upload(bob, "red") == [url]
    assert storages.places() == ["s3", "local"]
    report = storages.copy("--delete", "--yes").json
    assert (report["deleted"], storages.places()) == (1, ["s3", "s3"])
    check_served(forum, [url])


def test_a_photo_that_was_copied_is_deleted_from_both_storages(storages):
    alice = storages.open().person("alice")
    upload(alice, "red")
    storages.copy()
    [photo] = alice.get("/photos").json
    alice.delete(f"/photos/{photo['id']}")
    assert storages.files() == (0, 0)


def test_wrong_calls_of_copy_are_refused(storages):
    assert storages.copy(source="s3").code == 2
    words = ("copy", "--from", "local", "--to", "s3")
    without = storages.command(*words, **{"photos.storage": "local"})
    assert "photos.s3_bucket: missing" in without.refusal


def test_a_backup_has_the_photos_of_the_bucket_and_is_restored_into_the_folder(storages, tmp_path):
    before = storages.open()
    urls = upload(before.person("alice"), *COLOURS)
    made = storages.run("backup", tmp_path / "b.tar")
    assert (made.code, json.loads(made.out)["photos"]) == (0, len(COLOURS))
    storages.bucket.objects.all().delete()
    local = {"photos.storage": "local"}
    restored = storages.run("restore", "--replace", "--yes", tmp_path / "b.tar", **local)
    assert (restored.code, storages.places()) == (0, ["local"] * len(COLOURS))
    # A file that was damaged meanwhile, and has the same size.
    damaged = stored(storages.folder)[0]
    path = storages.folder / damaged
    path.write_bytes(bytes(path.stat().st_size))
    assert storages.run("restore", "--replace", "--yes", tmp_path / "b.tar", **local).code == 0
    checked = storages.command("check", "--every-byte", **local)
    assert json.loads(checked.out)["wrong"] == 0
    check_served(storages.open(**local), urls)
