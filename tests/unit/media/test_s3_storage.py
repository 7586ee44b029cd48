"""S3Storage against an object store in this process."""

import http.client
import socket
import threading
from hashlib import sha256
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest

from forumsvc.errors import NotFound
from forumsvc.media.private_names import new_private_name
from forumsvc.media.s3 import S3Options, S3Storage, StorageError
from tests.object_store import endpoint as endpoint

BYTES = b"\x89PNG" + bytes(range(256)) * 40
DIGEST = sha256(BYTES).hexdigest()
NAME = f"{DIGEST[:2]}/{DIGEST}.png"
OTHER = sha256(b"other").hexdigest()
KEYS: dict[str, Any] = {"access_key": "key", "secret_key": "secret", "region": "eu-central-1"}


@pytest.fixture
def options(endpoint: str, request: pytest.FixtureRequest) -> S3Options:
    bucket = "b" + sha256(request.node.name.encode()).hexdigest()[:30]
    client = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="eu-central-1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
    )
    client.create_bucket(
        Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
    )
    return S3Options(bucket=bucket, endpoint=endpoint, **KEYS)


def fetch(url: str) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def test_what_is_put_is_fetched_listed_and_deleted(options: S3Options) -> None:
    storage = S3Storage(options)
    assert storage.put(NAME, BytesIO(BYTES), "image/png") is True
    assert storage.put(NAME, BytesIO(BYTES), "image/png") is False
    with storage.open(NAME) as file:
        assert file.read() == BYTES
    assert [(found.name, found.size) for found in storage.list_objects()] == [(NAME, len(BYTES))]
    storage.delete(NAME)
    storage.delete(NAME)
    assert list(storage.list_objects()) == []
    with pytest.raises(NotFound):
        storage.open(NAME)


def test_a_private_file_is_stored_read_listed_and_deleted_and_is_no_image(
    options: S3Options,
) -> None:
    storage, name = S3Storage(options), new_private_name()
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
    with pytest.raises(NotFound):
        storage.open_private(name)


def test_a_presigned_url_returns_the_image_with_its_type_and_may_be_cached_forever(
    options: S3Options,
) -> None:
    storage = S3Storage(options)
    storage.put(NAME, BytesIO(BYTES), "image/png")
    url = storage.url(NAME) or ""
    assert "X-Amz-Signature=" in url
    status, headers, body = fetch(url)
    assert (status, body) == (200, BYTES)
    assert headers["content-type"] == "image/png"
    assert headers["cache-control"] == "public, max-age=31536000, immutable"


def test_bytes_that_do_not_match_the_name_are_refused_and_not_stored(options: S3Options) -> None:
    storage = S3Storage(options)
    with pytest.raises(ValueError, match="not the name of these bytes"):
        storage.put(f"{OTHER[:2]}/{OTHER}.png", BytesIO(BYTES), "image/png")
    assert list(storage.list_objects()) == []


@pytest.mark.parametrize("name", ["../x.png", "", f"{DIGEST}.png", f"{DIGEST[:2]}/{DIGEST}.svg"])
def test_no_other_name_reaches_the_store(options: S3Options, name: str) -> None:
    storage = S3Storage(options)
    for look in (storage.open, storage.url):
        with pytest.raises(NotFound):
            look(name)
    for call in (storage.delete, lambda name: storage.put(name, BytesIO(), "")):
        with pytest.raises(ValueError, match="not the name of an image"):
            call(name)


def test_an_upload_that_breaks_off_in_its_source_leaves_nothing(options: S3Options) -> None:
    class Breaking(BytesIO):
        """Readable once for the digest, and only to its middle when it is sent."""

        times = 0

        def seek(self, offset: int, whence: int = 0) -> int:
            self.times += offset == 0 and whence == 0
            return super().seek(offset, whence)

        def read(self, size: int | None = -1) -> bytes:
            if self.times and self.tell() >= len(BYTES) // 2:
                raise OSError("the disk is gone")
            return super().read(len(BYTES) // 4 if self.times else size)

    storage = S3Storage(options)
    with pytest.raises(OSError, match=r"the disk is gone|object store"):
        storage.put(NAME, Breaking(BYTES), "image/png")
    assert list(storage.list_objects()) == []


def test_a_connection_cut_in_the_middle_leaves_nothing(options: S3Options) -> None:
    class Cut:
        """A proxy that passes requests without a body, and drops an upload halfway."""

        def __init__(self, target: str) -> None:
            parts = urlsplit(target)
            self.target = (parts.hostname or "", parts.port or 0)
            self.listener = socket.create_server(("127.0.0.1", 0))
            self.uploads = 0
            self.thread = threading.Thread(target=self.serve)
            self.thread.start()

        def serve(self) -> None:
            while True:
                client, _ = self.listener.accept()
                with client:
                    request = client.recv(65536)
                    if not request:
                        return
                    if request.startswith(b"PUT"):
                        self.uploads += 1
                        with socket.create_connection(self.target) as server:
                            server.sendall(request)
                    else:
                        self.relay(request, client)

        def relay(self, request: bytes, client: socket.socket) -> None:
            closing = request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
            with socket.create_connection(self.target) as server:
                server.sendall(closing)
                while piece := server.recv(65536):
                    client.sendall(piece)

        def close(self) -> None:
            socket.create_connection(self.listener.getsockname()).close()
            self.thread.join()
            self.listener.close()

    cut = Cut(options.endpoint or "")
    try:
        host, port = cut.listener.getsockname()
        broken = S3Storage(S3Options(**{**vars(options), "endpoint": f"http://{host}:{port}"}))
        data = bytes(1_000_000)
        digest = sha256(data).hexdigest()
        with pytest.raises(StorageError):
            broken.put(f"{digest[:2]}/{digest}.png", BytesIO(data), "image/png")
    finally:
        cut.close()
    assert cut.uploads >= 1
    assert list(S3Storage(options).list_objects()) == []


def test_an_image_that_breaks_off_while_it_is_read_is_a_storage_error() -> None:
    def answer() -> None:
        client, _ = listener.accept()
        with client:
            client.recv(65536)
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        port = listener.getsockname()[1]
        with pytest.raises(StorageError):
            S3Storage(S3Options(bucket="b", endpoint=f"http://127.0.0.1:{port}", **KEYS)).open(NAME)
        thread.join()
