"""What waitress answers by itself has the `{error}` body, too."""

import socket
from pathlib import Path

import pytest

from tests.system.process import PATIENCE
from tests.system.pserve import pserve

REFUSED = {
    "a header that is none": (b"GET / HTTP/1.1\r\nHost: h\r\nno header\r\n\r\n", 400),
    "a length that is none": (b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n", 400),
    "a body that is too long": (
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n",
        413,
    ),
    "headers that are too long": (
        b"GET / HTTP/1.1\r\nHost: h\r\nX-Long: " + 2000 * b"x" + b"\r\n\r\n",
        431,
    ),
    "an unknown transfer coding": (
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: rot13\r\n\r\n",
        501,
    ),
    "a length beside chunks": (
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"0\r\n\r\n",
        400,
    ),
    "an application that raises": (b"GET /fails HTTP/1.1\r\nHost: h\r\n\r\n", 500),
}


@pytest.mark.parametrize(("request_bytes", "status"), REFUSED.values(), ids=REFUSED)
def test_an_error_of_the_server_is_json(tmp_path: Path, request_bytes: bytes, status: int) -> None:
    with (
        pserve(tmp_path, max_request_body_size=1000, max_request_header_size=1500) as server,
        socket.create_connection(("127.0.0.1", server.port), PATIENCE) as client,
    ):
        client.sendall(request_bytes)
        with client.makefile("rb") as answer:
            head, _, body = answer.read().partition(b"\r\n\r\n")
    assert head.split()[1] == str(status).encode()
    assert b"\r\nContent-Type: application/json" in head
    assert b"\r\nConnection: close" in head
    assert body.startswith(b'{"error": "')
    assert body.endswith(b'"}')
    assert b"nobody's business" not in body
