"""Bytes that no HTTP library sends, to the real application under the real server."""

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from sqlalchemy import insert

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import User
from forumsvc.oauth import tokens
from tests import databases
from tests.cases import each
from tests.functional.forum import SECRET
from tests.system.process import PATIENCE
from tests.system.pserve import Response, pserve

MAX_BODY = 20_000
APP = """
use = call:forumsvc:main
site.environment = development
sqlalchemy.url = {url}
session.secret = {secret}
photos.dir = {here}/photos
http.max_body = {max_body}
markup.workers = 1
"""


Send = Callable[[bytes], Response]


@dataclass
class Served:
    """The running service: a way to send bytes to it, and a valid token."""

    send: Send
    token: str
    port: int

    def exchange(self, head: bytes, body: bytes) -> bytes:
        """Send a header, and after the first answer to it a body; return all that came."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as client:
            client.sendall(head)
            found = client.recv(65536)
            if found == CONTINUE:
                client.sendall(body)
            with client.makefile("rb") as rest:
                return found + rest.read()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Served]:
    """The application on an SQLite database under pserve, and Alice's token."""
    here = tmp_path_factory.mktemp("raw")
    url = databases.new_url("sqlite", "raw", tmp_path_factory, worker_id)
    with databases.open_temporarily(url) as database:
        token = _alice(database)
    app = APP.format(url=url, secret=SECRET, here=here, max_body=MAX_BODY)
    with pserve(here, app=app, max_request_body_size=2 * MAX_BODY) as server:

        def send(request: bytes) -> Response:
            return _exchange(server.port, request)

        yield Served(send, token, server.port)


def _alice(database: Database) -> str:
    """Add a user who has a token, and return it."""
    now = clock.now()
    columns = {"login": "alice", "login_key": "alice", "created_at": now, "updated_at": now}
    with database.session.begin() as db:
        given = tokens.issue(
            db,
            client_id=tokens.get_or_create_builtin_client(db),
            user_id=db.execute(insert(User).values(columns).returning(User.id)).scalar_one(),
            scope="read write",
            access_ttl=3600,
            refresh_ttl=None,
        )
    return given.access_token


def _exchange(port: int, request: bytes) -> Response:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        client.sendall(request)
        with client.makefile("rb") as answer:
            head, _, body = answer.read().partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.split(": ", 1) for line in lines)
    headers = {name.lower(): value for name, value in pairs}
    return Response(int(status.split()[1]), headers, body)


def request(line: str | bytes, *headers: str, body: bytes = b"") -> bytes:
    """Return a request that closes its connection after the response."""
    raw = line if isinstance(line, bytes) else line.encode()
    rest = "".join(f"{header}\r\n" for header in ("Connection: close", *headers))
    return raw + b" HTTP/1.1\r\n" + rest.encode() + b"\r\n" + body


HOST = "Host: forum.example.org"


HOSTS = {
    "none": [],
    "two": [HOST, HOST],
    "an empty one": ["Host: "],
    "one with a path": ["Host: forum.example.org/evil"],
    "one with a user": ["Host: a@forum.example.org"],
    "one with markup": ["Host: <script>"],
    "two in one": ["Host: a.example.org, b.example.org"],
}


@each("hosts", HOSTS.values())
def test_a_request_names_one_host(served, hosts):
    answer = served.send(request("GET /api/v3/topics", *hosts))
    assert answer.status == 400
    assert list(answer.json) == ["error"]


@pytest.mark.parametrize("host", ["forum.example.org:80", "127.0.0.1:1", "[::1]:6543", "[::1]"])
def test_a_host_may_have_a_port_or_be_an_address(served, host):
    assert served.send(request("GET /api/v3/topics", f"Host: {host}")).status == 200


PATHS = {
    "bytes that are not UTF-8": (b"GET /api/v3/users/\xff", 400),
    "the same, escaped": (b"GET /api/v3/users/%ff", 400),
    "a surrogate": (b"GET /api/v3/users/%ed%a0%80", 400),
    "an overlong slash": (b"GET /api/v3%c0%aftopics", 400),
    "bytes in the query": (b"GET /api/v3/topics?type=\xff", 400),
    "a broken escape": (b"GET /api/v3/topics?type=%zz", 400),
    "an escaped NUL": (b"GET /api/v3/users/%00", 400),
    "an escaped line break": (b"GET /health%0a", 400),
    "a raw control character": (b"GET /hea\tlth", 400),
    "an escaped slash": (b"GET /api/v3%2Ftopics", 404),
    "UTF-8 as it is": ("GET /api/v3/users/jörg".encode(), 400),
    "UTF-8, escaped": (b"GET /api/v3/users/j%c3%b6rg", 404),
    "dots": (b"GET /api/v3/users/../topics", 404),
    "escaped dots": (b"GET /api/v3/users/%2e%2e/topics", 404),
    "two slashes": (b"GET /api/v3//topics", 404),
    "an absolute address": (b"GET http://other.example.org/api/v3/topics", 200),
    "other digits": (b"GET /api/v3/topics/%d9%a3", 404),
    "other digits in the query": (b"GET /api/v3/topics?limit=%d9%a3", 400),
    "a long path": (b"GET /api/v3/users/" + b"x" * 5000, 404),
    "an unknown method": (b"FROB /api/v3/topics", 405),
    "a method in small letters": (b"get /api/v3/topics", 400),
    "TRACE": (b"TRACE /api/v3/topics", 405),
    "CONNECT": (b"CONNECT /api/v3/topics", 405),
    "a star": (b"OPTIONS *", 204),
    "a star of another method": (b"GET *", 400),
}


@each(("line", "status"), PATHS.values())
def test_a_strange_request_line_is_no_mistake_of_ours(served, line, status):
    answer = served.send(request(line, HOST))
    assert answer.status == status, answer
    if status >= 400:
        assert list(answer.json) == ["error"]


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))


FORM = "Content-Type: application/x-www-form-urlencoded"
CHUNKED = "Transfer-Encoding: chunked"


def test_a_chunked_body_is_read_as_any_other(served):
    token = served.token.encode()
    body = chunked(b"access_token=", token[:9], token[9:], b"&obj_type=user&obj_id=1")
    answer = served.send(request("POST /api/v3/likes", HOST, FORM, CHUNKED, body=body))
    assert answer.status == 400
    assert answer.json == {"error": "obj_type: must be one of topic, reply, not 'user'"}


def test_a_chunked_body_over_the_limit_is_refused(served):
    body = chunked(*[b"x" * 1000] * (MAX_BODY // 1000), b"x")
    answer = served.send(request("POST /api/v3/likes", HOST, FORM, CHUNKED, body=body))
    assert answer.status == 413
    assert answer.json == {"error": f"The request body is larger than {MAX_BODY} bytes."}


@pytest.mark.parametrize("length", [MAX_BODY + 1, 2 * MAX_BODY + 1, 10**12])
def test_a_body_over_the_limit_is_refused(served, length):
    # What is over waitress's own limit is refused before any of it has come.
    sent = b"x" * length if length <= 2 * MAX_BODY else b""
    answer = served.send(
        request("POST /api/v3/likes", HOST, FORM, f"Content-Length: {length}", body=sent)
    )
    assert (answer.status, list(answer.json)) == (413, ["error"])


LENGTHS = ["-1", "1_0", "٣", "1, 2"]


@each("length", LENGTHS)
def test_a_length_that_is_none_is_refused(served, length):
    answer = served.send(request("POST /api/v3/likes", HOST, f"Content-Length: {length}"))
    assert (answer.status, list(answer.json)) == (400, ["error"])


def test_what_the_server_refuses_has_the_shape_of_the_ini(tmp_path, tmp_path_factory, worker_id):
    url = databases.new_url("sqlite", "keyed", tmp_path_factory, worker_id)
    with databases.open_temporarily(url):
        app = APP.format(url=url, secret=SECRET, here=tmp_path, max_body=MAX_BODY)
    app += "http.cors_origins = *\napi.envelope = keyed"
    with pserve(tmp_path, app=app) as server:
        refused = _exchange(server.port, request("GET /api/v3/topics", HOST, "no header"))
        assert (refused.status, refused.json["error"]) == (400, "ParameterInvalid")
        assert refused.json["message"].startswith("Bad Request: ")
        assert refused.headers["access-control-allow-origin"] == "*"


EXPECT = "Expect: 100-continue"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
MULTIPART = "Content-Type: multipart/form-data; boundary=b"
EXPECTING = {
    "no length": (["GET /health"], 200),
    "a length of 0": (["POST /api/v3/likes", "Content-Length: 0"], 401),
    "a length on GET": (["GET /health", "Content-Length: 5", FORM], 0),
    "a form": (["POST /api/v3/likes", "Content-Length: 5", FORM], 0),
    "chunks": (["POST /api/v3/likes", CHUNKED, FORM], 0),
    "capitals": (["POST /api/v3/likes", "Content-Length: 5", FORM, "expect: 100-Continue"], 0),
    "too large": (["POST /api/v3/photos", f"Content-Length: {MAX_BODY + 1}", MULTIPART], 413),
    "far too large": (["POST /api/v3/photos", "Content-Length: 900000000", MULTIPART], 413),
    "endless digits": (["POST /api/v3/photos", f"Content-Length: {'9' * 5000}", MULTIPART], 400),
    "a coding": (["PUT /api/v3/users/me", "Content-Length: 5", "Content-Encoding: gzip"], 415),
    "both lengths": (["POST /api/v3/likes", "Content-Length: 5", CHUNKED], 400),
}


@each(("lines", "status"), EXPECTING.values())
def test_a_client_is_asked_for_a_body_that_will_be_read_alone(served, lines, status):
    line, *headers = lines
    body = chunked(b"a=b&c") if CHUNKED in headers else b"a=b&c"
    expect = [] if any("xpect" in one for one in headers) else [EXPECT]
    found = served.exchange(request(line, HOST, *headers, *expect), body)
    assert found.startswith(CONTINUE) is (status == 0), found
    assert found.count(b"HTTP/1.1 ") == (1 if status else 2), found
    assert not status or int(found.split()[1]) == status


@each("expected", ["200-ok", "100-continue, x=y", "100-continu", '"100-continue"', "100"])
def test_nothing_else_may_be_expected(served, expected):
    raw = request("POST /api/v3/likes", HOST, "Content-Length: 1", f"Expect: {expected}", body=b"a")
    assert (served.send(raw).status, list(served.send(raw).json)) == (417, ["error"])
    old = raw.replace(b"HTTP/1.1", b"HTTP/1.0")
    assert served.send(old).status == 415


@each("version", ["HTTP/2.0", "HTTP/3.0", "HTTP/0.9", "HTTP/9.9"])
def test_another_version_of_http_is_not_spoken(served, version):
    raw = request("GET /health", HOST).replace(b"HTTP/1.1", version.encode())
    assert (served.send(raw).status, list(served.send(raw).json)) == (505, ["error"])
    assert served.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").status == 505
    later = request("GET /health", HOST).replace(b"HTTP/1.1", b"HTTP/1.2")
    assert served.send(later).status == 200


SMUGGLED = {
    "chunked twice": ([CHUNKED, CHUNKED], 400),
    "chunked twice in one": ([f"{CHUNKED}, chunked"], 400),
    "nothing": (["Transfer-Encoding: ,", "Content-Length: 1"], 400),
    "no coding": (["Transfer-Encoding:", "Content-Length: 1"], 400),
    "another coding": (["Transfer-Encoding: gzip, chunked"], 501),
    "identity": (["Transfer-Encoding: identity"], 501),
    "a blank inside": (["Transfer-Encoding: chu nked"], 501),
    "a control character": (["Transfer-Encoding: \x0bchunked"], 400),
    "a blank before the colon": (["Transfer-Encoding : chunked"], 400),
    "two equal lengths": (["Content-Length: 1", "Content-Length: 1"], 400),
    "a length and chunks": (["Content-Length: 1", CHUNKED], 400),
    "a sign": (["Content-Length: +1"], 400),
    "endless digits": ([f"Content-Length: {'1' * 5000}"], 400),
}


@each(("headers", "status"), SMUGGLED.values())
def test_a_body_has_one_length_that_all_servers_read_alike(served, headers, status):
    raw = request("POST /api/v3/likes", HOST, FORM, *headers, body=b"0\r\n\r\n")
    assert served.send(raw).status == status, served.send(raw)


LONG = {"an extension": b"5;a=%s", "a trailer": b"0\r\nX: %s"}


@each("body", LONG.values())
def test_chunks_have_no_long_lines(served, body):
    raw = request("POST /api/v3/likes", HOST, FORM, CHUNKED, body=body % (b"x" * 5_000))
    answer = served.send(raw)
    assert (answer.status, list(answer.json)) == (400, ["error"])


@each("connection", ["TE, close", "close, keep-alive", "TE,\tclose"])
def test_a_connection_is_closed_where_close_is_one_of_its_options(served, connection):
    raw = f"GET /health HTTP/1.1\r\n{HOST}\r\nConnection: {connection}\r\n\r\n"
    answer = served.send(raw.encode())
    assert (answer.status, answer.headers["connection"]) == (200, "close")


def test_http_1_0_has_no_chunks(served):
    raw = request("POST /api/v3/likes", HOST, FORM, CHUNKED, body=b"0\r\n\r\n")
    assert served.send(raw).status == 401
    assert served.send(raw.replace(b"HTTP/1.1", b"HTTP/1.0")).status == 400


def test_head_sends_no_body(served):
    answer = served.send(request("HEAD /api/v3/topics", HOST))
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["content-length"] == "2"


def test_a_header_of_other_bytes_is_no_mistake_of_ours(served):
    raw = b"GET /api/v3/topics HTTP/1.1\r\nConnection: close\r\nHost: h\r\n"
    raw += b"Authorization: Bearer \xff\xfe\r\n\r\n"
    answer = served.send(raw)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'


@each(
    "path",
    [
        *("//health", "///health", "/%68ealth", "/./health", "/x/../health", "/health//"),
        *("//api/v3/topics", "/api/v3//topics", "http://forum.example.org//health", "/healt%68?x"),
        *("/%2Fhealth", "/%2e/health", "///health?x"),
    ],
)
def test_a_path_has_one_spelling(served, path):
    assert served.send(request("GET /health?next=%2Fa%62//", HOST)).status == 200
    assert served.send(request(f"GET {path}", HOST)).status == 404
