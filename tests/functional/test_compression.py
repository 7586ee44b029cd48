"""Large responses are compressed for clients that accept it, with an ETag of their own."""

import gzip

from webob import Request, Response

from forumsvc.web.pipeline.compression import MIN_BYTES, gzip_tween, takes_gzip
from tests.cases import each
from tests.functional.forum import API, Forum

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
DESCRIPTION = f"{API}/openapi.json"


def raw(forum: Forum, method: str, path: str, headers: dict[str, str] | None = None) -> Response:
    """Send a request without WebTest, which decompresses responses."""
    return Request.blank(path, method=method, headers=headers or {}).get_response(forum.application)


@each(
    ("header", "takes"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("br, gzip;q=0.8, *;q=0.1", True),
        ("gzip;q=0.5", True),
        ("*", True),
        ("gzip;q=0.001, identity;q=0", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip;q=0, *", False),
        ("*;q=0", False),
        ("identity, gzip;q=0.5", False),
        ("gzip;q=7", False),
        ("gzip, \0", False),
        ("x-gzip2", False),
    ],
)
def test_accept_encoding_is_read_as_rfc_9110_says(header, takes):
    assert takes_gzip(header) is takes


def test_a_long_list_is_compressed_for_those_who_take_it_only_and_head_says_what_get_says(forum):
    alice, node = forum.person("alice"), forum.node()
    for number in range(3):
        forum.topic(alice, node, title=f"Topic {number}")
    plain = raw(forum, "GET", f"{API}/topics")
    small = raw(forum, "GET", f"{API}/topics", GZIP)
    assert plain.headers["Vary"] == small.headers["Vary"] == "Authorization, Accept-Encoding"
    assert "Content-Encoding" not in plain.headers
    assert small.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.body) == plain.body
    assert len(small.body) == int(small.headers["Content-Length"]) < len(plain.body)
    head = raw(forum, "HEAD", f"{API}/topics", GZIP)
    names = ("Content-Encoding", "Content-Length", "Content-Type", "Vary", "ETag")
    assert [head.headers.get(name) for name in names] == [small.headers[name] for name in names]
    assert head.body == b""


def test_what_is_created_is_compressed_too(forum, alice, node):
    sent = {"title": "T", "node_id": node, "body": "many words " * MIN_BYTES}
    headers = {**GZIP, "Authorization": f"Bearer {alice.token}"}
    request = Request.blank(f"{API}/topics", POST=sent, headers=headers)
    made = request.get_response(forum.application)
    assert (made.status_int, made.headers["Content-Encoding"]) == (201, "gzip")


@each("path", [f"{API}/nodes", f"{API}/topics/7", f"{API}/topics?type={'x' * 2000}"])
def test_small_answers_and_failures_are_left_as_they_are(forum, path):
    answer = raw(forum, "GET", path, {**GZIP, "Accept": "text/html"})
    assert "Content-Encoding" not in answer.headers
    assert "Accept-Encoding" not in answer.headers.get("Vary", "")


def test_a_page_with_a_form_is_compressed_and_its_length_and_token_tell_nothing(forum):
    first = raw(forum, "GET", "/login", GZIP)
    again = {**GZIP, "Cookie": first.headers["Set-Cookie"].partition(";")[0]}
    answers = [raw(forum, "GET", "/login", again) for _ in range(40)]
    assert {answer.headers["Content-Encoding"] for answer in answers} == {"gzip"}
    pages = [gzip.decompress(answer.body).decode() for answer in answers]
    assert len({page.partition("csrf_token")[2][:200] for page in pages}) == len(pages)
    assert len({len(page) for page in pages}) == 1
    lengths = [len(answer.body) for answer in answers]
    assert max(lengths) - min(lengths) > 20
    assert max(lengths) < len(pages[0])


def test_a_secret_of_the_api_is_not_compressed(forum):
    def handler(request: Request) -> Response:
        return Response(json_body="x" * MIN_BYTES, cache_control="no-store")

    made = gzip_tween(handler, forum.registry)(Request.blank("/", headers=GZIP))
    assert "Content-Encoding" not in made.headers


@each("suffix", ["-gzip", "-br"])
def test_compression_may_be_left_to_a_proxy_whose_tags_are_understood(make_forum, suffix):
    forum = make_forum(http__gzip="false")
    plain = raw(forum, "GET", DESCRIPTION, GZIP)
    assert "Content-Encoding" not in plain.headers
    assert "Accept-Encoding" not in plain.headers["Vary"]
    tag = plain.headers["ETag"]
    mine = f'{tag[:-1]}{suffix}"'
    again = raw(forum, "GET", DESCRIPTION, {"If-None-Match": mine})
    assert (again.status_int, again.headers["ETag"]) == (304, mine)
    changed = raw(forum, "GET", DESCRIPTION, {"If-None-Match": f'"other{suffix}"'})
    assert changed.status_int == 200


def test_each_form_has_a_strong_tag_of_its_own_and_is_revalidated_by_it(forum):
    plain = raw(forum, "GET", DESCRIPTION)
    small = raw(forum, "GET", DESCRIPTION, GZIP)
    tag, compressed = plain.headers["ETag"], small.headers["ETag"]
    assert compressed == f'{tag[:-1]}-gzip"'
    # What the client has is good still, whatever form it would get now.
    for headers in ({}, GZIP):
        for mine in (tag, compressed):
            again = raw(forum, "GET", DESCRIPTION, {**headers, "If-None-Match": mine})
            assert (again.status_int, again.body) == (304, b"")
            assert again.headers["ETag"] == mine
            assert "Accept-Encoding" in again.headers["Vary"]
            assert "Content-Encoding" not in again.headers


def test_a_response_that_compares_tags_by_itself_does_so_with_those_of_its_form(forum):
    def handler(request: Request) -> Response:
        made = Response(b"x" * MIN_BYTES, content_type="text/css", conditional_response=True)
        made.etag = "x"
        return made

    def ask(tag: str) -> Response:
        request = Request.blank("/", headers={**GZIP, "If-None-Match": tag})
        return request.get_response(gzip_tween(handler, forum.registry)(request))

    known, other = ask('"x-gzip"'), ask('"x"')
    assert (known.status_int, known.headers["ETag"]) == (304, '"x-gzip"')
    assert "Content-Encoding" not in known.headers
    assert (other.status_int, other.headers["ETag"]) == (200, '"x-gzip"')


def test_a_topic_is_revalidated_and_edited_by_the_tag_of_its_compressed_form(forum):
    alice, node = forum.person("alice"), forum.node()
    body = "many words " * MIN_BYTES
    path = f"{API}/topics/{forum.topic(alice, node, body=body)}"
    mine = {**GZIP, "Authorization": f"Bearer {alice.token}"}
    small = raw(forum, "GET", path, mine)
    tag = small.headers["ETag"]
    assert tag.endswith('-gzip"')
    again = raw(forum, "GET", path, {**mine, "If-None-Match": f'"other", {tag}'})
    assert (again.status_int, again.headers["ETag"]) == (304, tag)
    assert again.headers["Vary"] == small.headers["Vary"] == "Authorization, Accept-Encoding"
    query = f"?title=T&body=B&node_id={node}"
    edits = [raw(forum, "PUT", path + query, {**mine, "If-Match": tag}) for _ in range(2)]
    assert [edit.status_int for edit in edits] == [200, 412]
