"""CORS: which other origins' scripts may read the responses."""

from tests.cases import each
from tests.functional.forum import API
from tests.functional.raw import raw

ORIGIN = {"Origin": "https://example.org"}
PREFLIGHT = {**ORIGIN, "Access-Control-Request-Method": "PUT"}


def test_a_preflight_is_answered_without_a_token(make_forum):
    forum = make_forum(http__cors_origins="*")
    wanted = {"Access-Control-Request-Headers": "authorization, content-type"}
    answer = raw(forum, "OPTIONS", f"{API}/topics/7", {**PREFLIGHT, **wanted})
    assert (answer.status_int, answer.body) == (204, b"")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Access-Control-Allow-Methods"] == (
        "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    )
    assert answer.headers["Access-Control-Allow-Headers"] == "authorization, content-type"
    assert "Access-Control-Allow-Credentials" not in answer.headers


@each("path", ["/topics", "/hello", "/nothing", "/topics?limit=0", "/x?%ff"])
def test_other_origins_read_every_answer_errors_too(make_forum, path):
    forum = make_forum(http__cors_origins="https://example.org")
    answer = raw(forum, "GET", API + path, ORIGIN)
    assert answer.headers["Access-Control-Allow-Origin"] == "https://example.org"
    assert "WWW-Authenticate" in answer.headers["Access-Control-Expose-Headers"]
    assert answer.headers["Vary"] == "Origin"


@each(
    "path",
    [f"{API}/topics", f"{API}/nothing", "/", "/avatars/alice.svg", "/photos/x", "/health%0a"],
)
def test_what_every_origin_may_read_says_so_without_an_origin_too(make_forum, path):
    # A browser shows an image without `Origin`, keeps it, and gives it to a script.
    forum = make_forum(http__cors_origins="*")
    for headers in ({}, ORIGIN, {"If-None-Match": "*"}):
        answer = raw(forum, "GET", path, headers)
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Origin" not in answer.headers.get("Vary", "")
    options = raw(forum, "OPTIONS", f"{API}/topics", {"Access-Control-Request-Method": "PUT"})
    assert "Allow" in options.headers


def test_an_origin_that_is_not_listed_reads_nothing(make_forum):
    forum = make_forum(http__cors_origins="https://other.example.org")
    for method, headers in (("GET", ORIGIN), ("OPTIONS", PREFLIGHT)):
        answer = raw(forum, method, f"{API}/topics", headers)
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert answer.headers["Vary"] == "Origin"
