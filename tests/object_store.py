"""An object store in this process, on a free loopback port: moto's server."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

_KEYS = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}


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
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(endpoint: str, request: pytest.FixtureRequest) -> Any:
    """An empty bucket."""
    name = "b" + sha256(request.node.name.encode()).hexdigest()[:30]
    made = boto3.resource("s3", endpoint_url=endpoint, **_KEYS).Bucket(name)
    made.create()
    return made
