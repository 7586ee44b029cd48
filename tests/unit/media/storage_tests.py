"""What every storage of photos must keep: a class of tests for each to inherit."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from io import BytesIO

import pytest

from forumsvc.errors import NotFound
from forumsvc.media.private_names import new_private_name
from forumsvc.media.storage import Storage

BYTES = b"\x89PNG" + bytes(range(256)) * 4000


def name_of(data: bytes) -> str:
    digest = sha256(data).hexdigest()
    return f"{digest[:2]}/{digest}.png"


NAME = name_of(BYTES)
NO_NAMES = [
    "",
    "..",
    "../secret.png",
    "/etc/passwd",
    NAME + "\0",
    NAME + "\n",
    NAME.upper(),
    NAME[3:],
    "ab/../" + NAME,
    NAME.replace(".png", ".svg"),
    NAME.replace(".png", ".png/x"),
    "zz" + NAME[2:],
    ("0" if NAME[0] != "0" else "1") + NAME[1:],
]


class Breaking(BytesIO):
    """A file that is read whole so many times, and then only to its middle."""

    def __init__(self, data: bytes, whole: int) -> None:
        super().__init__(data)
        self.left = whole

    def read(self, size: int | None = -1) -> bytes:
        if self.left <= 0 and self.tell() >= len(BYTES) // 2:
            raise OSError("the disk is gone")
        chunk = super().read(65_536)
        self.left -= not chunk
        return chunk


class StorageTests:
    """The tests. A subclass has the fixtures `storage`, an empty one, and `contents`."""

    @pytest.fixture
    def storage(self) -> Storage:
        raise NotImplementedError

    @pytest.fixture
    def contents(self) -> Callable[[], list[str]]:
        """A function that lists all that is stored, whatever its name."""
        raise NotImplementedError

    def test_what_is_put_is_opened_listed_and_deleted(self, storage, contents):
        assert list(storage.list_objects()) == []
        before = datetime.now(UTC) - timedelta(seconds=5)
        assert storage.put(NAME, BytesIO(BYTES), "image/png") is True
        with storage.open(NAME) as file:
            assert file.read() == BYTES
        [found] = storage.list_objects()
        assert (found.name, found.size) == (NAME, len(BYTES))
        assert before < found.modified < datetime.now(UTC) + timedelta(seconds=5)
        storage.delete(NAME)
        storage.delete(NAME)
        assert contents() == []
        with pytest.raises(NotFound):
            storage.open(NAME)

    def test_a_second_put_changes_nothing(self, storage, contents):
        storage.put(NAME, BytesIO(BYTES), "image/png")
        assert storage.put(NAME, BytesIO(BYTES), "image/png") is False
        assert len(contents()) == 1

    def test_the_bytes_begin_where_the_file_stands(self, storage):
        file = BytesIO(b"before" + BYTES)
        file.seek(6)
        storage.put(NAME, file, "image/png")
        with storage.open(NAME) as stored:
            assert stored.read() == BYTES

    def test_a_file_that_fails_midway_leaves_nothing(self, storage, contents):
        broken = Breaking(BYTES, whole=int(self.reads_twice))
        with pytest.raises(OSError, match=r"the disk is gone|object store"):
            storage.put(NAME, broken, "image/png")
        assert contents() == []

    reads_twice = False
    """Whether a put reads the bytes for their digest before it stores them."""

    def test_bytes_that_are_not_the_names_leave_nothing(self, storage, contents):
        with pytest.raises(ValueError, match="not the name of these bytes"):
            storage.put(name_of(b"other"), BytesIO(BYTES), "image/png")
        assert contents() == []

    def test_nothing_but_a_content_addressed_name_is_taken(self, storage, contents):
        for name in NO_NAMES:
            for look in (storage.open, storage.url, storage.permanent_url):
                with pytest.raises(NotFound):
                    look(name)
            with pytest.raises(ValueError, match="not the name of an image"):
                storage.delete(name)
            with pytest.raises(ValueError, match="not the name of an image"):
                storage.put(name, BytesIO(BYTES), "image/png")
            with pytest.raises(ValueError, match="not the name of an image"):
                storage.delete_if_older_than(name, datetime.now(UTC))
        assert contents() == []

    def test_only_what_was_put_long_ago_is_deleted_as_old(self, storage):
        moment = datetime.now(UTC)
        assert storage.delete_if_older_than(NAME, moment) is False
        storage.put(NAME, BytesIO(BYTES), "image/png")
        assert storage.delete_if_older_than(NAME, moment - timedelta(hours=1)) is False
        assert len(list(storage.list_objects())) == 1
        assert storage.delete_if_older_than(NAME, moment + timedelta(hours=1)) is True
        assert list(storage.list_objects()) == []

    def test_a_small_version_is_no_image_of_its_own_and_goes_with_its_image(
        self, storage, contents
    ):
        with pytest.raises(NotFound):
            storage.open_small(NAME)
        storage.put(NAME, BytesIO(BYTES), "image/png")
        storage.put_small(NAME, BytesIO(b"small"))
        storage.put_small(NAME, BytesIO(b"smaller"))
        with storage.open_small(NAME) as file:
            assert file.read() == b"smaller"
        assert [one.name for one in storage.list_objects()] == [NAME]
        assert [(one.name, one.size) for one in storage.list_small()] == [(NAME, len(b"smaller"))]
        assert list(storage.list_private()) == []
        assert len(contents()) == 2
        assert storage.delete_if_older_than(NAME, datetime.now(UTC) + timedelta(hours=1)) is True
        assert contents() == []
        storage.put_small(NAME, BytesIO(b"small"))
        storage.delete(NAME)
        assert contents() == []

    def test_a_small_version_has_the_name_of_an_image(self, storage, contents):
        for name in NO_NAMES:
            with pytest.raises(NotFound):
                storage.open_small(name)
            with pytest.raises(ValueError, match="not the name of an image"):
                storage.put_small(name, BytesIO(b"small"))
        assert contents() == []

    def test_a_private_file_is_stored_read_listed_and_deleted_and_is_no_image(
        self, storage, contents
    ):
        name = new_private_name()
        storage.put_private(name, BytesIO(BYTES))
        with storage.open_private(name) as file:
            assert (file.read(), file.seek(1)) == (BYTES, 1)
        assert [(one.name, one.size) for one in storage.list_private()] == [(name, len(BYTES))]
        assert list(storage.list_objects()) == []
        for image in (f"private/{name}", name):
            with pytest.raises(NotFound):
                storage.url(image)
        storage.delete_private(name)
        storage.delete_private(name)
        assert (list(storage.list_private()), contents()) == ([], [])
        with pytest.raises(NotFound):
            storage.open_private(name)
