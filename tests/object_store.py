"""An object store in this process, on a free loopback port: the few calls of S3 that are used.

Signatures are made by boto3 and not checked here.
"""

import threading
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import boto3
import pytest

_KEYS = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}


@dataclass(frozen=True)
class _Stored:
    data: bytes
    headers: dict[str, str]
    at: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    buckets: dict[str, dict[str, _Stored]]

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_PUT(self) -> None:
        bucket, key = self._place()
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        digest = self.headers.get("x-amz-checksum-sha256")
        if len(data) < length:
            return  # The client is gone.
        if not key:
            self.buckets.setdefault(bucket, {})
            self._answer(200)
        elif bucket not in self.buckets:
            self._refuse(404, "NoSuchBucket")
        elif digest not in (None, b64encode(sha256(data).digest()).decode()):
            self._refuse(400, "BadDigest")
        else:
            kept = {name: self.headers.get(name, "") for name in ("Content-Type", "Cache-Control")}
            self.buckets[bucket][key] = _Stored(data, kept)
            self._answer(200)

    def do_GET(self) -> None:
        bucket, key = self._place()
        objects = self.buckets.get(bucket)
        if objects is None:
            self._refuse(404, "NoSuchBucket")
        elif not key:
            [prefix] = parse_qs(urlsplit(self.path).query).get("prefix", [""])
            entries = "".join(
                f"<Contents><Key>{name}</Key><Size>{len(stored.data)}</Size>"
                f"<LastModified>{stored.at:%Y-%m-%dT%H:%M:%SZ}</LastModified></Contents>"
                for name, stored in sorted(objects.items())
                if name.startswith(prefix)
            )
            self._answer(200, f"<ListBucketResult>{entries}</ListBucketResult>".encode())
        elif key not in objects:
            self._refuse(404, "NoSuchKey")
        else:
            stored = objects[key]
            modified = format_datetime(stored.at, usegmt=True)
            self._answer(200, stored.data, **stored.headers, **{"Last-Modified": modified})

    do_HEAD = do_GET  # noqa: N815 - http.server's name

    def do_DELETE(self) -> None:
        bucket, key = self._place()
        self.buckets.get(bucket, {}).pop(key, None)
        self._answer(204)

    def _place(self) -> tuple[str, str]:
        """Return the bucket and the key; the key of a bucket itself is empty."""
        bucket, _, key = unquote(urlsplit(self.path).path).removeprefix("/").partition("/")
        return bucket, key

    def _refuse(self, status: int, code: str) -> None:
        self._answer(status, f"<Error><Code>{code}</Code></Error>".encode())

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def s3_settings(endpoint: str, bucket: str) -> dict[str, str]:
    """Return the settings of a bucket."""
    return {
        "photos.s3_bucket": bucket,
        "photos.s3_endpoint": endpoint,
        "photos.s3_region": "us-east-1",
        "photos.s3_access_key": "key",
        "photos.s3_secret_key": "secret",
    }


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """The address of the object store."""
    handler = type("Request", (_Request,), {"buckets": {}})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def bucket(endpoint: str, request: pytest.FixtureRequest) -> Any:
    """An empty bucket."""
    name = "b" + sha256(request.node.name.encode()).hexdigest()[:30]
    made = boto3.resource("s3", endpoint_url=endpoint, **_KEYS).Bucket(name)
    made.create()
    return made
