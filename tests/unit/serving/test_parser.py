"""The parser of requests: what is simple is read as waitress reads it, only faster."""

import random

from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser

from forumsvc.serving.parser import StrictParser, _environ_name
from tests.cases import each

READ = (
    *("command", "request_uri", "version", "path", "query", "fragment", "headers", "url_scheme"),
    *("proxy_scheme", "proxy_netloc", "chunked", "content_length", "expect_continue"),
    *("connection_close", "completed", "empty", "body_rcv", "header_bytes_received"),
)
LINES = ("GET", "HEAD", "POST", "get", "GET ", "OPTIONS")
TARGETS = (
    *("/", "/topics", "/topics?page=2&x=%20", "//host/x", "/a//b", "/%2e%2e/%E4%B8%AD", "/a?b?c"),
    *(
        "/a#b",
        "/a?b#c",
        "*",
        "http://h/x",
        "/ü",
        "/a b",
        "/a\tb",
        "/:x",
        "/a;b=1",
        '/"<>',
        "/%",
        "",
    ),
)
VERSIONS = ("HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "http/1.1", "HTTP/1.1 ", "")
FIELDS = (
    *("Host: a.org", "Host:a.org", "host: b", "Accept: */*", "X: a, b;q=0.1", "X: c", "X:", "X: "),
    *("X:  two", "X: a  b", "X: a\tb", "X: a ", "X_Y: 1", "X-Y: 1", "x-y: 2", "X : a", " folded"),
    *(
        "Connection: close",
        "Connection: keep-alive",
        "Connection: Keep-Alive, x",
        "X: \x7f",
        "X: é",
    ),
    *("Content-Length: 0", "Content-Length: 3", "Transfer-Encoding: chunked", "TE: trailers"),
    *("Expect: 100-continue", "Expect: x", "X: \x00", "X: a\rb", "X: a\nb", "no colon", ": empty"),
    *('Cookie: a="b c"; d', 'If-None-Match: W/"x"', "X: a:b:c", "Authorization: Bearer abc.d-e_f"),
)
ENDS = ("\n", "\r\n ", "\r", "")
USUAL_FIELDS = [
    it for it in FIELDS if it.isprintable() and it.startswith(("Host", "A", "I", "Cookie"))
]


def _read(parser: HTTPRequestParser, raw: bytes) -> dict[str, object]:
    parser.received(raw)
    values = {name: getattr(parser, name, None) for name in READ}
    error = parser.error
    return {**values, "error": error and (error.code, error.body)}


def _random_head(rng: random.Random) -> bytes:
    """Return a head that is as most are, or in which one thing is unusual."""
    line = ["GET", rng.choice(TARGETS[:3]), "HTTP/1.1"]
    fields = rng.choices(USUAL_FIELDS, k=rng.randrange(5))
    end = "\r\n"
    match rng.randrange(8):
        case 0:
            line[0] = rng.choice(LINES)
        case 1:
            line[1] = rng.choice(TARGETS)
        case 2:
            line[2] = rng.choice(VERSIONS)
        case 3:
            fields.insert(rng.randrange(len(fields) + 1), rng.choice(FIELDS))
        case 4:
            end = rng.choice(ENDS)
    lines = [" ".join(line), *fields]
    return ("".join(f"{one}\r\n" for one in lines[:-1]) + f"{lines[-1]}{end}\r\n").encode("latin-1")


@each("seed", range(20))
def test_a_simple_head_means_what_waitress_reads_in_it(seed):
    rng, adjustments, simple = random.Random(seed), Adjustments(), 0  # noqa: S311 - no secret
    for _ in range(500):
        raw = _random_head(rng)
        strict = StrictParser(adjustments)
        found = _read(strict, raw)
        if not hasattr(strict, "first_line"):  # only waitress's own method sets it
            simple += 1
            assert found == _read(HTTPRequestParser(adjustments), raw), raw
    assert simple > 250


def test_no_long_name_of_a_header_is_kept():
    before = _environ_name.cache_info().currsize
    parser = StrictParser(Adjustments())
    name = "X-" + "a" * 80
    parser.received(f"GET / HTTP/1.1\r\n{name}: 1\r\n\r\n".encode())
    assert parser.headers == {name.upper().replace("-", "_"): "1"}
    assert _environ_name.cache_info().currsize == before


def _post(body: bytes, step: int) -> tuple[StrictParser, bytes]:
    """Return the parser of chunks that come in parts of this many bytes, and what is left."""
    parser = StrictParser(Adjustments())
    parser.received(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    at = 0
    while at < len(body) and not parser.completed:
        at += parser.received(body[at : at + step])
    return parser, body[at:]


CHUNKS = {
    "plain": b"5\r\nhello\r\n0\r\n\r\n",
    "two": b"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
    "line breaks in a chunk": b"7\r\n\n\r\n\n\r\n\n\r\n0\r\n\r\n",
    "an extension": b"5;a=b\r\nhello\r\n0;c\r\n\r\n",
    "a trailer": b"5\r\nhello\r\n0\r\nX: y\r\nZ: \r\n\r\n",
    "zeros": b"005\r\nhello\r\n000\r\n\r\n",
}
BAD_CHUNKS = {
    "a bare LF behind a size": b"5\nhello\r\n0\r\n\r\n",
    "LF and CRLF": b"5\n\r\nhello\r\n0\r\n\r\n",
    "LF behind an extension": b"5;a\n\r\nhello\r\n0\r\n\r\n",
    "an empty line": b"\r\n5\r\nhello\r\n0\r\n\r\n",
    "a bare CR": b"5\r\r\nhello\r\n0\r\n\r\n",
    "LF in a trailer": b"5\r\nhello\r\n0\r\nX: y\n\r\n\r\n",
    "LF behind the last chunk": b"5\r\nhello\r\n0\r\n\n\r\n",
    "a chunk that is longer": b"5\r\nhello!\r\n0\r\n\r\n",
}


@each("body", CHUNKS.values())
def test_chunks_are_read_in_whatever_parts_they_come(body):
    follows = b"GET / HTTP/1.1"
    found = set()
    for step in (1, 2, 3, 99):
        parser, rest = _post(body + follows, step)
        assert (parser.completed, parser.error) == (True, None), step
        found.add((parser.get_body_stream().read(), rest))
    assert len(found) == 1
    assert found.pop()[1] == follows


@each("body", BAD_CHUNKS.values())
def test_chunks_that_another_server_may_read_otherwise_are_refused(body):
    for step in (1, 2, 3, 99):
        parser, _ = _post(body, step)
        assert getattr(parser.error, "code", None) == 400, step
