"""Photos in two storages: reading, checking and moving them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from forumsvc.db.engine import Database
from forumsvc.media.s3 import S3Storage
from forumsvc.models import Photo
from tests.functional.cli.conftest import INI, run_command
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person
from tests.functional.test_photos import picture, send, stored
from tests.object_store import bucket as bucket
from tests.object_store import endpoint as endpoint

Command = Callable[..., Any]
COLOURS = ("red", "green", "blue", "white")


@pytest.fixture
def both(endpoint: str, bucket: Any) -> dict[str, str]:
    """The settings of the bucket, beside those of the folder."""
    return {
        "photos.s3_bucket": bucket.name,
        "photos.s3_endpoint": endpoint,
        "photos.s3_region": "us-east-1",
        "photos.s3_access_key": "key",
        "photos.s3_secret_key": "secret",
    }


@pytest.fixture
def command(tmp_path: Path, database: Database, both: dict[str, str]) -> Command:
    """A function that runs `forumsvc photos …`, by default with the settings of both storages."""

    def run(*words: str, **settings: str) -> Any:
        url = database.url.render_as_string(hide_password=False).replace("%", "%%")
        lines = [f"{name} = {value}" for name, value in (settings or both).items()]
        path = tmp_path / "forum.ini"
        path.write_text(INI.format(url=url) + "\n".join(["", *lines, ""]))
        return run_command("-c", path, "photos", *words, "--json")

    return run


@pytest.fixture
def open_forum(make_forum: MakeForum) -> MakeForum:
    """A function that returns the forum with settings by their names."""
    return lambda **settings: make_forum(
        **{name.replace(".", "__"): value for name, value in settings.items()}
    )


def upload(person: Person, *colours: str) -> list[str]:
    """Upload an image of each color and return the URLs."""
    answers = [send(person, picture(colour)) for colour in colours]
    assert [answer.status_int for answer in answers] == [201] * len(colours)
    return [answer.json["image_url"] for answer in answers]


def places(database: Database) -> list[str | None]:
    """Return the storages that the rows name."""
    with database.reads.connect() as db:
        return list(db.execute(select(Photo.storage).order_by(Photo.id)).scalars())


def objects(bucket: Any) -> list[str]:
    """Return the names in the bucket."""
    return [one.key for one in bucket.objects.all()]


def check_served(forum: Forum, urls: list[str]) -> None:
    """Check that the service serves every photo or redirects to it."""
    for url in urls:
        answer = forum.app.get(url)
        assert answer.status_int in (200, 302)
        if answer.status_int == 200:
            assert len(answer.body) == int(answer.headers["Content-Length"])


def test_after_a_change_of_the_storage_check_fix_deletes_nothing_and_all_is_served(
    open_forum: MakeForum,
    database: Database,
    tmp_path: Path,
    bucket: Any,
    both: dict[str, str],
    command: Command,
) -> None:
    before = open_forum()
    alice = before.person("alice")
    urls = upload(alice, "red", "green")
    changed = {**both, "photos.storage": "s3"}
    after = open_forum(**changed)
    urls += upload(Person(after.app, alice.token, alice.id, "alice"), "blue")
    assert places(database) == ["local", "local", "s3"]
    found = command("check", "--fix", **changed)
    assert (found.code, json.loads(found.out)["wrong"]) == (0, 0)
    # Another machine, whose folder is empty.
    changed["photos.dir"] = "nothing/here"
    for fix in ((), ("--fix",)):
        found = command("check", *fix, **changed)
        report = json.loads(found.out)
        assert (found.code, report["rows_elsewhere"], report["fixed"]) == (1, 2, 0)
        assert "photos.dir" in found.err or not fix
    assert places(database) == ["local", "local", "s3"]
    assert len(stored(tmp_path / "var" / "photos")) == 2
    check_served(after, urls)


def test_a_row_that_does_not_know_its_storage_is_served_from_either_and_never_deleted(
    open_forum: MakeForum, database: Database, both: dict[str, str], command: Command
) -> None:
    forum = open_forum(**both)
    alice = forum.person("alice")
    urls = upload(alice, "red", "green")
    with database.session.begin() as db:
        db.execute(update(Photo).values(storage=None))
    check_served(open_forum(**both, **{"photos.storage": "s3"}), urls)
    elsewhere = {**both, "photos.dir": "nothing/here"}
    found = command("check", "--fix", **elsewhere)
    assert (found.code, json.loads(found.out)["rows_elsewhere"]) == (1, 2)
    assert places(database) == [None, None]
    report = command("check", "--fix").json
    assert (report["wrong"], report["rows_unplaced"]) == (0, 2)
    assert places(database) == ["local", "local"]


def test_a_copy_to_the_bucket_and_back_moves_the_rows_and_keeps_the_originals(
    open_forum: MakeForum,
    database: Database,
    tmp_path: Path,
    bucket: Any,
    both: dict[str, str],
    command: Command,
) -> None:
    forum = open_forum(**both)
    alice = forum.person("alice")
    urls = upload(alice, *COLOURS)
    avatar = alice.put("/users/me", avatar=urls[0]).json["avatar_url"]
    report = command("copy", "--from", "local", "--to", "s3").json
    assert (report["copied"], report["missing"], report["broken"], report["deleted"]) == (
        5,
        0,
        0,
        0,
    )
    assert places(database) == ["s3"] * 5
    folder = tmp_path / "var" / "photos"
    assert len(objects(bucket)) == len(stored(folder)) == 5
    assert forum.app.get(urls[0]).status_int == 302
    assert command("copy", "--from", "local", "--to", "s3").json["copied"] == 0
    assert command("copy", "--from", "local", "--to", "s3", "--delete").json["deleted"] == 5
    assert stored(folder) == []
    check_served(forum, [*urls, avatar])
    report = command("copy", "--from", "s3", "--to", "local", "--delete").json
    assert (report["copied"], report["deleted"]) == (5, 5)
    assert (places(database), objects(bucket)) == (["local"] * 5, [])
    assert all(forum.app.get(url).status_int == 200 for url in [*urls, avatar])
    assert command("check", "--every-byte").json["wrong"] == 0


def test_a_copy_that_was_stopped_goes_on(
    open_forum: MakeForum,
    database: Database,
    both: dict[str, str],
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alice = open_forum(**both).person("alice")
    upload(alice, *COLOURS)
    put, names = S3Storage.put, set()

    def fail(self: S3Storage, name: str, *rest: Any) -> bool:
        names.add(name)
        if len(names) == 3:
            raise OSError("the network is away")
        return put(self, name, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(S3Storage, "put", fail)
        found = command("copy", "--from", "local", "--to", "s3", "--delete")
    assert (found.code, "network is away" in found.err) == (1, True)
    assert places(database) == ["s3", "s3", "local", "local"]
    report = command("copy", "--from", "local", "--to", "s3", "--delete").json
    assert (report["copied"], report["deleted"], report["kept"]) == (2, 4, 0)


def test_a_file_that_is_broken_or_missing_is_reported_and_its_row_stays(
    open_forum: MakeForum,
    database: Database,
    tmp_path: Path,
    both: dict[str, str],
    command: Command,
) -> None:
    urls = upload(open_forum(**both).person("alice"), *COLOURS)
    first, second = ("/".join(url.split("/")[-2:]) for url in urls[:2])
    folder = tmp_path / "var" / "photos"
    (folder / first).unlink()
    (folder / second).write_bytes(b"x")
    found = command("copy", "--from", "local", "--to", "s3", "--delete")
    report = json.loads(found.out)
    assert found.code == 1
    assert [report[key] for key in ("copied", "missing", "broken", "deleted")] == [2, 1, 1, 2]
    assert places(database) == ["local", "local", "s3", "s3"]


def test_bytes_in_the_target_that_are_not_right_are_replaced(
    open_forum: MakeForum, bucket: Any, both: dict[str, str], command: Command
) -> None:
    forum = open_forum(**both)
    [url] = upload(forum.person("alice"), "red")
    size = len(forum.app.get(url).body)
    name = "/".join(url.split("/")[-2:])
    bucket.put_object(Key=name, Body=b"x" * size)
    assert command("copy", "--from", "local", "--to", "s3").json["copied"] == 1
    assert bucket.Object(name).get()["Body"].read() != b"x" * size


def test_what_is_uploaded_again_meanwhile_is_not_lost_to_the_deletion(
    open_forum: MakeForum, database: Database, both: dict[str, str], command: Command
) -> None:
    forum = open_forum(**both)
    alice, bob = forum.person("alice"), forum.person("bob")
    [url] = upload(alice, "red")
    command("copy", "--from", "local", "--to", "s3")
    assert upload(bob, "red") == [url]
    assert places(database) == ["s3", "local"]
    report = command("copy", "--from", "local", "--to", "s3", "--delete").json
    assert (report["deleted"], places(database)) == (1, ["s3", "s3"])
    check_served(forum, [url])


def test_a_photo_that_was_copied_is_deleted_from_both_storages(
    open_forum: MakeForum,
    tmp_path: Path,
    bucket: Any,
    both: dict[str, str],
    command: Command,
) -> None:
    forum = open_forum(**both)
    alice = forum.person("alice")
    upload(alice, "red")
    command("copy", "--from", "local", "--to", "s3")
    [photo] = alice.get("/photos").json
    alice.delete(f"/photos/{photo['id']}")
    assert (objects(bucket), stored(tmp_path / "var" / "photos")) == ([], [])


def test_wrong_calls_of_copy_are_refused(command: Command, both: dict[str, str]) -> None:
    assert command("copy", "--from", "s3", "--to", "s3").code == 2
    without = command("copy", "--from", "local", "--to", "s3", **{"photos.storage": "local"})
    assert "photos.s3_bucket: missing" in without.refusal
