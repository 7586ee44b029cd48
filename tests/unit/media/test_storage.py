"""LocalStorage: a storage of photos, atomic and never outside its folder."""

import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest

from forumsvc.media.local_storage import LocalStorage
from forumsvc.media.private_names import new_private_name
from tests.unit.media.storage_tests import BYTES, NAME, StorageTests


class TestLocalStorage(StorageTests):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> LocalStorage:
        return LocalStorage(tmp_path / "photos" / "deep")

    @pytest.fixture
    def contents(self, tmp_path: Path) -> Callable[[], list[str]]:
        (tmp_path / "secret.png").write_bytes(b"secret")
        return lambda: [
            path.name
            for path in tmp_path.rglob("*")
            if path.is_file() and path.name != "secret.png"
        ]

    def test_the_service_itself_serves_it(self, storage):
        assert storage.url(NAME) is storage.permanent_url(NAME) is None


@pytest.fixture
def stored(tmp_path: Path) -> LocalStorage:
    storage = LocalStorage(tmp_path)
    storage.put(NAME, BytesIO(BYTES), "image/png")
    return storage


def test_a_second_put_keeps_the_file(stored, tmp_path):
    was = (tmp_path / NAME).stat().st_ino
    stored.put(NAME, BytesIO(BYTES), "image/png")
    assert (tmp_path / NAME).stat().st_ino == was


def test_an_image_that_another_user_owns_is_there(stored, monkeypatch):
    def refuse(path: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted", str(path))

    monkeypatch.setattr(os, "utime", refuse)
    assert stored.put(NAME, BytesIO(BYTES), "image/png") is False


def test_a_truncated_copy_is_replaced(stored, tmp_path):
    os.truncate(tmp_path / NAME, 10)
    assert stored.put(NAME, BytesIO(BYTES), "image/png") is True
    assert (tmp_path / NAME).read_bytes() == BYTES


def test_an_image_is_readable_for_a_web_server_beside_us_and_a_private_file_is_not(
    stored, tmp_path
):
    name = new_private_name()
    stored.put_private(name, BytesIO(BYTES))
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "private" / name).stat().st_mode & 0o077 == 0


def test_what_a_killed_put_leaves_is_no_image_and_is_tidied_by_age(stored, tmp_path):
    old, new = (tmp_path / NAME[:2] / f".unfinished-{word}" for word in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"half")
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    os.utime(old, (0, hour_ago.timestamp() - 60))
    assert [found.name for found in stored.list_objects()] == [NAME]
    assert stored.remove_partial_uploads(hour_ago) == 1
    assert (old.exists(), new.exists(), (tmp_path / NAME).exists()) == (False, True, True)


def test_an_image_that_is_not_old_stays_where_it_is_while_that_is_found_out(stored, monkeypatch):
    moved: list[object] = []
    monkeypatch.setattr(os, "rename", lambda *paths: moved.append(paths))
    assert not stored.delete_if_older_than(NAME, datetime.now(UTC) - timedelta(hours=1))
    assert moved == []
