"""Stores images in a bucket of S3 or of another object store with the same protocol."""

import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import SEEK_END, BytesIO
from typing import Any, BinaryIO, cast

from forumsvc.errors import NotFound
from forumsvc.media.private_names import PRIVATE, is_private_name, private_path
from forumsvc.media.small_versions import media_type, small_path
from forumsvc.media.storage import StoredObject, check_digest, check_name, is_name, parse_digest

_CACHE_CONTROL = "public, max-age=31536000, immutable"
_CHUNK = 1 << 20
_MISSING = {"404", "NoSuchKey", "NotFound"}
_RECENT_UPLOAD = timedelta(minutes=30)
"""An image stored earlier is uploaded again, which renews its modification time."""


class StorageError(OSError):
    """The object store refused the request, failed, or could not be reached."""


@dataclass(frozen=True)
class S3Options:
    """How to reach a bucket, and how clients reach it.

    bucket: its name; it must exist. prefix: prepended to every name in it.
    endpoint: the store's URL, or None for Amazon's. region, access_key, secret_key: None leaves
    them to boto3 (environment, configuration file, the machine's role).
    public_url: prepended to a name in the URLs that clients get; with None they are presigned.
    presign_seconds: how long a presigned URL is valid, at most 604,800.
    """

    bucket: str
    prefix: str = ""
    endpoint: str | None = None
    region: str | None = None
    access_key: str | None = None
    secret_key: str | None = None
    public_url: str | None = None
    presign_seconds: int = 3600


class S3Storage:
    """Stores images in a bucket: each put is one request, which the store applies fully or not."""

    def __init__(self, options: S3Options) -> None:
        """Create the client; sends no request yet.

        Raises ImportError if boto3, the extra `s3`, is not installed.
        """
        import boto3
        from botocore.config import Config

        self._options = options
        self._client: Any = boto3.session.Session().client(
            "s3",
            endpoint_url=options.endpoint,
            region_name=options.region,
            aws_access_key_id=options.access_key,
            aws_secret_access_key=options.secret_key,
            config=Config(
                signature_version="s3v4",
                connect_timeout=5,
                read_timeout=15,
                retries={"mode": "standard", "total_max_attempts": 3},
            ),
        )

    def put(self, name: str, file: BinaryIO, media_type: str) -> bool:
        """Store an image; see Storage. The store compares the bytes with the name's digest."""
        start = file.tell()
        size = check_digest(name, file)
        file.seek(start)
        with _translate_errors():
            stored = self._head(name)
            if stored and stored["ContentLength"] == size and _is_recent(stored["LastModified"]):
                return False
            self._client.put_object(
                Bucket=self._options.bucket,
                Key=self._key(name),
                Body=file,
                ContentLength=size,
                ContentType=media_type,
                CacheControl=_CACHE_CONTROL,
                ChecksumSHA256=b64encode(bytes.fromhex(parse_digest(name))).decode(),
            )
        return True

    def open(self, name: str) -> BinaryIO:
        """Return an image, read whole: no later read of it can fail; see Storage."""
        check_name(name)
        return self._read(name)

    def _read(self, path: str) -> BinaryIO:
        with _translate_errors():
            result = self._client.get_object(Bucket=self._options.bucket, Key=self._key(path))
            return BytesIO(result["Body"].read())

    def url(self, name: str) -> str | None:
        """Return the public or the presigned URL of an image; see Storage."""
        check_name(name)
        if self._options.public_url is not None:
            return f"{self._options.public_url.rstrip('/')}/{self._key(name)}"
        target = {"Bucket": self._options.bucket, "Key": self._key(name)}
        with _translate_errors():
            return str(
                self._client.generate_presigned_url(
                    "get_object", Params=target, ExpiresIn=self._options.presign_seconds
                )
            )

    def permanent_url(self, name: str) -> str | None:
        """Return the public URL, or None: a presigned URL expires; see Storage."""
        check_name(name)
        return None if self._options.public_url is None else self.url(name)

    def put_small(self, name: str, file: BinaryIO) -> None:
        """Store the small version of an image; see Storage."""
        parse_digest(name)
        body = file.read()
        with _translate_errors():
            self._client.put_object(
                Bucket=self._options.bucket,
                Key=self._key(small_path(name)),
                Body=body,
                ContentType=media_type(body),
                CacheControl=_CACHE_CONTROL,
            )

    def open_small(self, name: str) -> BinaryIO:
        """Return the small version of an image, read whole; see Storage."""
        check_name(name)
        return self._read(small_path(name))

    def delete(self, name: str) -> None:
        """Delete an image; see Storage."""
        parse_digest(name)
        self._delete(name)

    def _delete(self, name: str) -> None:
        with _translate_errors():
            self._client.delete_object(Bucket=self._options.bucket, Key=self._key(name))
        self.delete_small(name)

    def delete_small(self, name: str) -> None:
        """Delete the small version of an image; see Storage."""
        with _translate_errors():
            key = self._key(small_path(name))
            self._client.delete_object(Bucket=self._options.bucket, Key=key)

    def delete_if_older_than(self, name: str, before: datetime) -> bool:
        """Delete an image if it is old; see Storage. Check and deletion are not atomic here."""
        parse_digest(name)
        with _translate_errors():
            stored = self._head(name)
            if stored is None or stored["LastModified"] >= before:
                return False
        self._delete(name)
        return True

    def list_objects(self) -> Iterator[StoredObject]:
        """Yield every image; see Storage."""
        yield from self._list(self._options.prefix, is_name)

    def list_small(self) -> Iterator[StoredObject]:
        """Yield every small version; see Storage."""
        yield from self._list(self._key(small_path("")), is_name)

    def remove_partial_uploads(self, before: datetime) -> int:
        """Return 0: an interrupted put leaves nothing in a bucket."""
        return 0

    def put_private(self, name: str, file: BinaryIO) -> None:
        """Store a private file, in one request: at most 5 GB; see Storage."""
        start = file.tell()
        size = file.seek(0, SEEK_END) - start
        file.seek(start)
        with _translate_errors():
            self._client.put_object(
                Bucket=self._options.bucket,
                Key=self._key(private_path(name)),
                Body=file,
                ContentLength=size,
                ContentType="application/octet-stream",
                CacheControl="no-store",
            )

    def open_private(self, name: str) -> BinaryIO:
        """Return a copy of a private file on this disk, which has no name; see Storage."""
        copy = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        key = self._key(private_path(name))
        try:
            with _translate_errors():
                result = self._client.get_object(Bucket=self._options.bucket, Key=key)
                for chunk in result["Body"].iter_chunks(_CHUNK):
                    copy.write(chunk)
            copy.seek(0)
        except BaseException:
            copy.close()
            raise
        return cast(BinaryIO, copy)

    def delete_private(self, name: str) -> None:
        """Delete a private file; see Storage."""
        key = self._key(private_path(name))
        with _translate_errors():
            self._client.delete_object(Bucket=self._options.bucket, Key=key)

    def list_private(self) -> Iterator[StoredObject]:
        """Yield every private file; see Storage."""
        yield from self._list(self._key(f"{PRIVATE}/"), is_private_name)

    def _list(self, prefix: str, is_own: Callable[[str], bool]) -> Iterator[StoredObject]:
        pages = self._client.get_paginator("list_objects_v2")
        with _translate_errors():
            for page in pages.paginate(Bucket=self._options.bucket, Prefix=prefix):
                for item in page.get("Contents", ()):
                    name = item["Key"].removeprefix(prefix)
                    if is_own(name):
                        yield StoredObject(name, item["Size"], item["LastModified"])

    def _key(self, name: str) -> str:
        return self._options.prefix + name

    def _head(self, name: str) -> dict[str, Any] | None:
        """Return the metadata of an image, or None if it does not exist."""
        from botocore.exceptions import ClientError

        try:
            result: dict[str, Any] = self._client.head_object(
                Bucket=self._options.bucket, Key=self._key(name)
            )
        except ClientError as error:
            if error.response["Error"]["Code"] in _MISSING:
                return None
            raise
        return result


def _is_recent(modified: datetime) -> bool:
    return datetime.now(UTC) - modified < _RECENT_UPLOAD


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise boto3's errors as ours: NotFound for a missing image, else StorageError."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] == "NoSuchKey":
            raise NotFound("There is no such image.") from error
        raise StorageError(f"the object store refused: {error}") from error
    except BotoCoreError as error:
        raise StorageError(f"the object store failed: {error}") from error
