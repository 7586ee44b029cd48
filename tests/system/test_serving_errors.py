"""Errors that waitress itself answers: with the `{error}` body, too, and in time."""

import socket
import time
from collections.abc import Iterator

import pytest
from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser

from forumsvc.serving.parser import StrictParser
from tests.cases import each
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


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    here = tmp_path_factory.mktemp("server")
    with pserve(here, max_request_body_size=1000, max_request_header_size=1500) as server:
        yield server.port


@each(("request_bytes", "status"), REFUSED.values())
def test_an_error_of_the_server_is_json(port, request_bytes, status):
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        client.sendall(request_bytes)
        with client.makefile("rb") as answer:
            head, _, body = answer.read().partition(b"\r\n\r\n")
    assert head.split()[1] == str(status).encode()
    assert b"\r\nContent-Type: application/json" in head
    assert b"\r\nConnection: close" in head
    assert body.startswith(b'{"error": "')
    assert body.endswith(b'"}')
    assert b"nobody's business" not in body


def _headers(parser: HTTPRequestParser, *lines: bytes) -> dict[str, str]:
    parser.received(b"\r\n".join((b"GET / HTTP/1.1", *lines, b"", b"")))
    headers: dict[str, str] = parser.headers
    return headers


@each(
    "lines",
    [
        (b"X:" + 30_000 * b"\t" + b"y",),
        (b"X:" + 30_000 * b" " + b"y",),
        (b"X:" + 30_000 * b" " + b"\x01",),
        (b"X:", *(600 * (50 * b" ",)), b" y"),
        (b"X: a" + 30_000 * b"\t" + b"\x01",),
    ],
)
def test_spaces_in_a_header_delay_no_other_request(lines):
    began = time.process_time()
    assert _headers(StrictParser(Adjustments()), *lines).get("X") in ("y", None)
    assert time.process_time() - began < 1


@each(
    "lines",
    [
        (b"X:\t\ta  b",),
        (b"X:", b" \ta", b"\tb"),
        (b"X:",),
        (b"X:         ",),
        (b'X: "a         b"', b"Y:         c"),
        (b"X: a:         b",),
    ],
)
def test_a_header_means_what_it_did_with_fewer_blanks(lines):
    adjustments = Adjustments()
    theirs = _headers(HTTPRequestParser(adjustments), *lines)
    assert _headers(StrictParser(adjustments), *lines) == theirs
