"""POST /photos, and serving photos."""

import io
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from PIL import Image
from sqlalchemy import select
from webtest import TestResponse

from forumsvc.media.local_storage import LocalStorage
from forumsvc.media.s3 import StorageError
from forumsvc.models import Photo, User, UserState
from forumsvc.services.photos.storage import PhotoStorages
from tests.cases import each
from tests.databases import on_postgresql, on_sqlite
from tests.functional.forum import Caller, make_app
from tests.object_store import bucket as bucket
from tests.object_store import endpoint as endpoint
from tests.object_store import s3_settings


def picture(colour: str = "red", kind: str = "PNG", frames: int = 1) -> bytes:
    out = io.BytesIO()
    images = [Image.new("RGB", (300, 200), (n, 30, 200)) for n in range(frames - 1)]
    first = Image.new("RGB", (300, 200), colour)
    more: dict[str, Any] = {"save_all": True, "append_images": images} if images else {}
    first.save(out, kind, **more)
    return out.getvalue()


def send(person: Caller, data: bytes | None = None) -> TestResponse:
    files = [("file", "a.png", data or picture())]
    return person.call("POST", "/photos", upload_files=files)


def stored(folder: Path) -> list[Path]:
    """Return every file of a storage, also partial ones."""
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_picture_is_served_as_what_it_is_for_ever_and_harmless(forum, alice):
    made = send(alice)
    url = made.json["image_url"]
    assert (made.status_int, url.partition("/photos/")[0]) == (201, "http://localhost")
    served = forum.app.get(url)
    assert int(served.headers["Content-Length"]) == len(served.body)
    shown = Image.open(io.BytesIO(served.body))
    assert (shown.size, shown.getpixel((0, 0))) == ((300, 200), (255, 0, 0))
    assert served.content_type == "image/png"
    assert served.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert served.headers["X-Content-Type-Options"] == "nosniff"
    assert served.headers["Content-Security-Policy"].startswith("default-src 'none';")
    assert "sandbox" in served.headers["Content-Security-Policy"]
    again = forum.app.get(url, headers={"If-None-Match": served.headers["ETag"]}, status=304)
    assert again.body == b""


NAMED = [
    *(b'name="file"; filename="a.png"', b"name=file; filename=a.png", b'name="file"; filename=""'),
    *(b'name="file"', b"name=file", b"name=\"file\"; filename*=UTF-8''%e4%b8%ad.png"),
    *(b'name="file"; filename="b\xe9.png"', 'name="file"; filename="中.png"'.encode()),
    *(b'name="file"; filename="\xd6\xd0.png"', b"name=\"file\"; FileName*=iso-8859-1'de'%e9.png"),
    *(b'name="file"; filename="=?utf-8?B?5Lit?=.png"', b'name="file"; filename="%E4%B8%AD.png"'),
    *(b'name="file"; filename="a\\"b.png"', b'name="file"; filename="C:\\a\\b.png"'),
    *(b'name="file"; filename="a%22b;c.png"', b"name=\"file\"; filename*=UTF-8''%zz%"),
    *(b'name="file"; filename="a.png"; filename*=nothing', b'name="file"; filename=a b.png'),
    *(b'name="file"; filename="..\\..\\a.png"', b'name="file"; filename*0="a"; filename*1=".png"'),
    b'filename="a.png"; name="file"',
]
"""Names of files as browsers and programs send them (RFC 7578 §4.2, RFC 8187, RFC 2047)."""


@each("named", NAMED)
@each("kind", [b"", b"Content-Type: image/png\r\n", b"Content-Type: application/octet-stream\r\n"])
def test_a_picture_may_have_any_name_or_none(alice, named, kind):
    part = b"--b\r\nContent-Disposition: form-data; " + named + b"\r\n" + kind + b"\r\n" + picture()
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    answer = alice.call("POST", "/photos", part + b"\r\n--b--\r\n", headers=headers)
    assert answer.status_int == 201, answer.text


@each("name", [b'"f\xe9"', b'"b\xff"'])
def test_the_name_of_a_field_is_utf_8(alice, name):
    part = b"--b\r\nContent-Disposition: form-data; name=" + name + b"\r\n\r\nx\r\n--b--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    refused = alice.call("POST", "/photos", part, headers=headers)
    assert refused.status_int == 400
    assert refused.json["error"].endswith("the name of a field holds bytes that are not UTF-8")


@each(
    ("path", "field", "sent", "error"),
    [
        *(
            ("/photos", "file", raw, "file:")
            for raw in (b"", b"GIF89a", b"<svg/>", b"\x89PNG\r\n\x1a\n")
        ),
        ("/topics/{topic}/replies", "body", b"B", "body: must be a text"),
        ("/topics", "node_id", b"1", "node_id: must be an integer, not a file"),
    ],
)
def test_a_file_is_taken_for_a_picture_alone(alice, topic, path, field, sent, error):
    files = [(field, "a.png", sent)]
    form = {"title": "T", "body": "B"} if path == "/topics" else {}
    answer = alice.call("POST", path.format(topic=topic), form, upload_files=files)
    assert (answer.status_int, answer.json["error"][: len(error)]) == (400, error)


def test_a_photo_over_its_limit_is_refused_by_name(make_forum):
    answer = send(make_forum(photos__max_bytes="1024").person("alice"), b"x" * 1025)
    text = "file: too large: at most 1,024 bytes are allowed"
    assert (answer.status_int, answer.json) == (400, {"error": text})


def test_an_unsatisfiable_range_returns_the_whole_picture(forum, alice):
    url = send(alice).json["image_url"]
    whole = forum.app.get(url)
    part = forum.app.get(url, headers={"Range": "bytes=0-9"}, status=206)
    assert part.body == whole.body[:10]
    forum.app.head(url, headers={"Range": "bytes=0-9"}, status=200)
    for vain in (
        "bytes=-0",
        "bytes=9999999-",
        f"bytes={'9' * 5000}-",
        f"bytes=-{'9' * 5000}",
        "bytes=x",
    ):
        beyond = forum.app.get(url, headers={"Range": vain}, status=200)
        assert beyond.body == whole.body


def test_the_same_picture_is_stored_once_with_a_row_for_each_owner(forum, bob, alice):
    urls = {send(person).json["image_url"] for person in (alice, bob, alice)}
    assert len(urls) == 1
    assert forum.count(Photo) == 2


@each(
    "path",
    [
        *("/photos/ab/ab.png", "/photos/ab/x.svg", f"/photos/ab/{'ab' * 32}.png"),
        *("/photos/..%2f..%2fetc/passwd", "/photos/../x", "/avatars/me%20.svg"),
    ],
)
def test_a_picture_that_is_not_there_is_404(forum, path):
    assert set(forum.app.get(path, status=404).json) == {"error"}


def test_an_animation_with_too_many_frames_is_refused(make_forum):
    forum = make_forum(photos__max_frames="3")
    alice = forum.person("alice")
    assert send(alice, picture(kind="GIF", frames=3)).status_int == 201
    answer = send(alice, picture(kind="GIF", frames=4))
    assert (answer.status_int, answer.json["error"][:5]) == (400, "file:")


class Failing(LocalStorage):
    """A storage whose disk fails while a photo is written, and that cannot be read."""

    def put(self, name: str, file: Any, media_type: str) -> bool:
        class Full(io.BytesIO):
            def read(self, size: int | None = -1) -> bytes:
                if self.tell() > 100:
                    raise OSError(28, "No space left on device")
                return super().read(100)

        return super().put(name, Full(file.read()), media_type)

    def open(self, name: str) -> Any:
        raise StorageError("the object store failed")


def failing(tmp_path: Path) -> PhotoStorages:
    """Return storages of which the only one fails."""
    return PhotoStorages("local", {"local": Failing(tmp_path / "failing")})


def test_a_storage_that_fails_is_503_and_leaves_neither_row_nor_file(
    make_forum, tmp_path, monkeypatch
):
    forum = make_forum()
    alice = forum.person("alice")
    monkeypatch.setattr(forum.registry, "photo_storages", failing(tmp_path))
    answer = send(alice)
    assert answer.status_int == 503
    assert set(answer.json) == {"error"}
    assert answer.headers["Retry-After"] == "10"
    assert forum.count(Photo) == 0
    assert stored(tmp_path / "failing") == []


def test_a_storage_that_cannot_be_read_is_503(make_forum, tmp_path, monkeypatch):
    forum = make_forum()
    alice = forum.person("alice")
    url = send(alice).json["image_url"]
    monkeypatch.setattr(forum.registry, "photo_storages", failing(tmp_path))
    assert set(forum.app.get(url, status=503).json) == {"error"}
    answer = alice.put("/users/me", avatar=url)
    assert (answer.status_int, set(answer.json)) == (503, {"error"})


def test_a_folder_that_cannot_be_written_is_503(make_forum, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    forum = make_forum(photos__dir="file/photos")
    assert send(forum.person("alice")).status_int == 503
    assert forum.count(Photo) == 0


def s3(endpoint: str, bucket: str, **more: str) -> dict[str, str]:
    return {"photos.storage": "s3", **s3_settings(endpoint, bucket), **more}


def test_in_a_bucket_a_picture_has_our_address_which_leads_to_a_presigned_one(
    make_forum, endpoint, bucket
):
    forum = make_forum(**s3(endpoint, bucket.name, photos__s3_prefix="p/"))
    url = send(forum.person("alice")).json["image_url"]
    [there] = bucket.objects.all()
    assert url == f"http://localhost/photos/{there.key.removeprefix('p/')}"
    presigned = forum.app.get(url, status=302).headers["Location"]
    assert presigned.startswith(f"{endpoint}/{bucket.name}/{there.key}?")
    with urlopen(presigned) as answer:  # noqa: S310 - http
        assert Image.open(answer).size == (300, 200)


def test_a_picture_in_a_bucket_becomes_an_avatar_by_either_address(make_forum, endpoint, bucket):
    forum = make_forum(**s3(endpoint, bucket.name))
    alice = forum.person("alice")
    url = send(alice).json["image_url"]
    presigned = forum.app.get(url, status=302).headers["Location"]
    shown = {alice.put("/users/me", avatar=form).json["avatar_url"] for form in (url, presigned)}
    assert len(shown) == 1
    assert len(list(bucket.objects.all())) == 2
    alice.put("/users/me", avatar="")
    assert alice.get("/users/me").json["avatar_url"].endswith("/avatars/alice.svg")


def test_a_public_bucket_is_shown_by_its_address(make_forum, endpoint, bucket):
    public = "https://cdn.example/photos"
    forum = make_forum(**s3(endpoint, bucket.name, photos__s3_public_url=public))
    url = send(forum.person("alice")).json["image_url"]
    [there] = bucket.objects.all()
    assert url == f"{public}/{there.key}"


def test_a_bucket_that_is_gone_is_503_and_leaves_no_row(make_forum, endpoint):
    forum = make_forum(**s3(endpoint, "never-made"))
    answer = send(forum.person("alice"))
    assert (answer.status_int, set(answer.json)) == (503, {"error"})
    assert "never-made" not in answer.text
    assert forum.count(Photo) == 0


def test_s3_without_its_library_stops_the_service_and_says_what_to_install(
    database_url, tmp_path, monkeypatch
):
    monkeypatch.setitem(__import__("sys").modules, "boto3", None)
    with pytest.raises(SystemExit) as stopped:
        make_app(database_url, tmp_path, **{"photos.storage": "s3", "photos.s3_bucket": "b"})
    assert "install forumsvc[s3]" in str(stopped.value)


@on_sqlite
def test_nobody_removes_a_picture_between_its_storing_and_its_row(forum, alice, monkeypatch):
    put, were_free = LocalStorage.put, []

    def seen_put(self: LocalStorage, *args: Any) -> bool:
        path = str(forum.database.url.database)
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                were_free.append(False)
            else:
                were_free.append(True)
        return put(self, *args)

    monkeypatch.setattr(LocalStorage, "put", seen_put)
    assert send(alice).status_int == 201
    assert were_free == [True, False]  # before the transaction, and in it


def test_who_was_erased_while_a_picture_was_stored_leaves_none(forum, alice, tmp_path, monkeypatch):
    put = LocalStorage.put
    puts: list[Any] = []

    def put_after_erasure(self: LocalStorage, *args: Any) -> bool:
        if not puts:
            forum.change(alice.id, state=UserState.DELETED)
        puts.append(args)
        return put(self, *args)

    monkeypatch.setattr(LocalStorage, "put", put_after_erasure)
    assert send(alice).status_int == 403
    assert (forum.count(Photo), stored(tmp_path / "photos")) == (0, [])


@on_postgresql
def test_who_writes_to_an_uploader_does_not_wait_for_the_storage(forum, alice, monkeypatch):
    put, were_free = LocalStorage.put, []

    def slow_put(self: LocalStorage, *args: Any) -> bool:
        free = select(User.id).where(User.id == alice.id).with_for_update(nowait=True)
        with forum.database.writes.connect() as other:
            were_free.append(other.scalar(free))
        return put(self, *args)

    monkeypatch.setattr(LocalStorage, "put", slow_put)
    assert send(alice).status_int == 201
    assert were_free == [alice.id, alice.id]  # before the transaction, and in it
