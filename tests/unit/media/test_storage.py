"""LocalStorage: atomic, idempotent, never outside its folder."""

import errno
import os
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from forumsvc.errors import NotFound
from forumsvc.media.storage import LocalStorage
from tests.cases import each

BYTES = b"\x89PNG" + bytes(range(256)) * 4000


def name_of(data: bytes) -> str:
    digest = sha256(data).hexdigest()
    return f"{digest[:2]}/{digest}.png"


NAME = name_of(BYTES)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_is_put_is_opened_listed_and_deleted(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path / "photos" / "deep")
    before = datetime.now(UTC) - timedelta(seconds=5)
    assert storage.put(NAME, BytesIO(BYTES), "image/png") is True
    with storage.open(NAME) as file:
        assert file.read() == BYTES
    (found,) = storage.list_objects()
    assert (found.name, found.size) == (NAME, len(BYTES))
    assert before < found.modified < datetime.now(UTC) + timedelta(seconds=5)
    assert storage.url(NAME) is None
    storage.delete(NAME)
    storage.delete(NAME)
    assert files(tmp_path) == []
    with pytest.raises(NotFound):
        storage.open(NAME)


def test_nothing_is_listed_before_the_first_image(tmp_path: Path) -> None:
    assert list(LocalStorage(tmp_path / "none").list_objects()) == []


def test_a_second_put_keeps_the_file(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path)
    storage.put(NAME, BytesIO(BYTES), "image/png")
    was = (tmp_path / NAME).stat().st_ino
    assert storage.put(NAME, BytesIO(BYTES), "image/png") is False
    assert (tmp_path / NAME).stat().st_ino == was
    assert len(files(tmp_path)) == 1


def test_an_image_that_another_user_owns_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted", str(path))

    storage = LocalStorage(tmp_path)
    storage.put(NAME, BytesIO(BYTES), "image/png")
    monkeypatch.setattr(os, "utime", refuse)
    assert storage.put(NAME, BytesIO(BYTES), "image/png") is False


def test_a_truncated_copy_is_replaced(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path)
    storage.put(NAME, BytesIO(BYTES), "image/png")
    os.truncate(tmp_path / NAME, 10)
    assert storage.put(NAME, BytesIO(BYTES), "image/png") is True
    assert (tmp_path / NAME).read_bytes() == BYTES


def test_an_image_is_readable_for_a_web_server_beside_us(tmp_path: Path) -> None:
    LocalStorage(tmp_path).put(NAME, BytesIO(BYTES), "image/png")
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o644


def test_a_source_that_fails_midway_leaves_nothing(tmp_path: Path) -> None:
    class Breaking(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 500_000:
                raise OSError("cut off")
            return super().read(size)

    with pytest.raises(OSError, match="cut off"):
        LocalStorage(tmp_path).put(NAME, Breaking(BYTES), "image/png")
    assert files(tmp_path) == []


def test_bytes_that_are_not_the_names_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not the name of these bytes"):
        LocalStorage(tmp_path).put(name_of(b"other"), BytesIO(BYTES), "image/png")
    assert files(tmp_path) == []


def test_what_a_killed_put_leaves_is_no_image_and_is_tidied_by_age(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path)
    storage.put(NAME, BytesIO(BYTES), "image/png")
    old, new = (tmp_path / NAME[:2] / f".unfinished-{word}" for word in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"half")
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    os.utime(old, (0, hour_ago.timestamp() - 60))
    assert [found.name for found in storage.list_objects()] == [NAME]
    assert storage.remove_partial_uploads(hour_ago) == 1
    assert not old.exists()
    assert new.exists()
    assert (tmp_path / NAME).exists()


NO_NAMES = [
    "",
    "..",
    "../secret.png",
    "/etc/passwd",
    NAME + "\0",
    NAME + "\n",
    NAME.upper(),
    "ab/../" + NAME,
    NAME.replace(".png", ".svg"),
    NAME.replace(".png", ".png/x"),
    "zz" + NAME[2:],
    ("0" if NAME[0] != "0" else "1") + NAME[1:],
]


@each("name", NO_NAMES)
def test_nothing_but_a_content_addressed_name_is_taken(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.png").write_bytes(b"secret")
    storage = LocalStorage(tmp_path / "photos")
    for look in (storage.open, storage.url):
        with pytest.raises(NotFound):
            look(name)
    with pytest.raises(ValueError, match="not the name of an image"):
        storage.delete(name)
    with pytest.raises(ValueError, match="not the name of an image"):
        storage.put(name, BytesIO(BYTES), "image/png")
    assert [path.name for path in files(tmp_path)] == ["secret.png"]


def test_an_image_that_is_not_old_stays_where_it_is_while_that_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = LocalStorage(tmp_path)
    storage.put(NAME, BytesIO(BYTES), "image/png")
    moved: list[object] = []
    monkeypatch.setattr(os, "rename", lambda *paths: moved.append(paths))
    assert not storage.delete_if_older_than(NAME, datetime.now(UTC) - timedelta(hours=1))
    assert moved == []
