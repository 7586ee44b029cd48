"""S3Storage against an object store in this process."""

import http.client
import socket
import threading
from collections.abc import Callable
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import pytest

from forumsvc.media.s3 import S3Options, S3Storage, StorageError
from tests.object_store import bucket as bucket
from tests.object_store import endpoint as endpoint
from tests.unit.media.storage_tests import BYTES, NAME, StorageTests, name_of

KEYS: dict[str, Any] = {"access_key": "key", "secret_key": "secret", "region": "us-east-1"}


@pytest.fixture
def options(endpoint: str, bucket: Any) -> S3Options:
    return S3Options(bucket=bucket.name, endpoint=endpoint, **KEYS)


class TestS3Storage(StorageTests):
    reads_twice = True

    @pytest.fixture
    def storage(self, options: S3Options) -> S3Storage:
        return S3Storage(options)

    @pytest.fixture
    def contents(self, bucket: Any) -> Callable[[], list[str]]:
        return lambda: [found.key for found in bucket.objects.all()]


def fetch(url: str) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def test_a_presigned_url_returns_the_image_with_its_type_and_may_be_cached_forever(options):
    storage = S3Storage(options)
    storage.put(NAME, BytesIO(BYTES), "image/png")
    url = storage.url(NAME) or ""
    assert "X-Amz-Signature=" in url
    status, headers, body = fetch(url)
    assert (status, body) == (200, BYTES)
    assert headers["content-type"] == "image/png"
    assert headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_connection_cut_in_the_middle_leaves_nothing(options):
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
        with pytest.raises(StorageError):
            broken.put(name_of(data), BytesIO(data), "image/png")
    finally:
        cut.close()
    assert cut.uploads >= 1
    assert list(S3Storage(options).list_objects()) == []


def test_an_image_that_breaks_off_while_it_is_read_is_a_storage_error():
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
