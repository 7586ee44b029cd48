"""The encodings of parameters: query, form, multipart and JSON, and their precedence."""

import gc
import json
from typing import Any

import pytest
from webtest import TestResponse

from tests.cases import each
from tests.functional.forum import API, Forum, Person

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


def send(
    person: Person, method: str, path: str, body: bytes | str = b"", kind: str | None = None
) -> TestResponse:
    """Send exactly these bytes."""
    headers = {"Authorization": f"Bearer {person.token}"}
    if kind is not None:
        headers["Content-Type"] = kind
    raw = body.encode() if isinstance(body, str) else body
    return person.app.request(
        API + path, method=method, body=raw, headers=headers, expect_errors=True
    )


def multipart(*fields: tuple[str, bytes]) -> tuple[bytes, str]:
    parts = [
        b'--limit\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), v)
        for name, v in fields
    ]
    return b"".join(parts) + b"--limit--\r\n", "multipart/form-data; boundary=limit"


ENCODINGS = {
    "query": ("?body=Gr%C3%BC%C3%9Fe", b"", None),
    "form": ("", b"body=Gr%C3%BC%C3%9Fe", FORM),
    "form with a charset": ("", b"body=Gr%C3%BC%C3%9Fe", f"{FORM}; charset=UTF-8"),
    "form of raw bytes": ("", "body=Grüße".encode(), FORM),
    "multipart": ("", *multipart(("body", "Grüße".encode()))),
    "json": ("", '{"body": "Grüße"}'.encode(), JSON),
    "json with escapes": ("", b'{"body": "Gr\\u00fc\\u00dfe"}', JSON),
    "json with a charset": ("", '{"body": "Grüße"}'.encode(), f"{JSON}; charset=utf-8"),
    "json of another name": ("", '{"body": "Grüße"}'.encode(), "application/vnd.api+json"),
    "json in capitals": ("", '{"body": "Grüße"}'.encode(), "Application/JSON;charset=UTF-8"),
}


@each("encoding", ENCODINGS)
@each("target", ["POST /topics/{topic}/replies", "POST /replies/{reply}"])
def test_every_encoding_says_the_same(forum, alice, topic, encoding, target):
    reply = forum.reply(alice, topic)
    method, path = target.format(topic=topic, reply=reply).split()
    query, body, kind = ENCODINGS[encoding]
    answer = send(alice, method, path + query, body, kind)
    assert (answer.status_int, answer.json["body"]) in [(201, "Grüße"), (200, "Grüße")]


@pytest.mark.parametrize("encoding", ["query", "form", "json"])
@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_the_other_methods_read_every_encoding_too(forum, alice, topic, encoding, method):
    fields = {"title": "T", "node_id": str(forum.node("Other")), "body": "B"}
    path = f"/topics/{topic}"
    if method == "DELETE":
        alice.post("/likes", obj_type="topic", obj_id=topic)
        fields, path = {"obj_type": "topic", "obj_id": str(topic)}, "/likes"
    query = "&".join(f"{name}={value}" for name, value in fields.items())
    answer = {
        "query": lambda: send(alice, method, f"{path}?{query}"),
        "form": lambda: send(alice, method, path, query, FORM),
        "json": lambda: send(alice, method, path, json.dumps(fields), JSON),
    }[encoding]()
    assert answer.status_int == 200, answer.text
    assert (answer.json == {"count": 0}) if method == "DELETE" else (answer.json["title"] == "T")


@each(
    ("query", "body", "kind", "used"),
    [
        ("?body=query", "body=form", FORM, "form"),
        ("?body=query", '{"body": null}', JSON, "query"),
        ("?body=query", "", "text/plain", "query"),
        ("", "body=first&body=last", FORM, "last"),
    ],
)
def test_the_body_takes_precedence_over_the_query_and_the_last_value_over_the_first(
    alice, topic, query, body, kind, used
):
    answer = send(alice, "POST", f"/topics/{topic}/replies{query}", body, kind)
    assert answer.json["body"] == used


@each(
    ("query", "body", "kind"), [("?type=close", "type=open", FORM), ("", '{"type": "close"}', JSON)]
)
def test_the_type_of_an_action_is_taken_from_the_query_or_else_from_the_body(
    alice, topic, query, body, kind
):
    assert send(alice, "POST", f"/topics/{topic}/action{query}", body, kind).json == {"ok": 1}
    assert alice.get(f"/topics/{topic}").json["closed_at"] is not None


UNREAD = [
    "text/plain",
    "text/plain;charset=UTF-8",
    "application/xml",
    "text/json",
    "x",
    "json",
    None,
]
UNREAD += ["application/octet-stream", "multipart/mixed; boundary=b", "application/jsonp", "*/*"]


@each("kind", UNREAD)
@each("body", ['{"tagline": "new"}', "tagline=new", "<tagline>new</tagline>", " ", "\0"])
def test_a_body_in_an_unknown_media_type_is_415_and_changes_nothing(alice, kind, body):
    refused = send(alice, "PUT", "/users/me", body, kind)
    error = "The body must be a form or JSON, as its Content-Type says."
    assert (refused.status_int, refused.json) == (415, {"error": error})
    assert alice.get("/users/me").json["tagline"] == ""


@each("kind", [*UNREAD, "", "multipart/form-data", "nonsense;;=", FORM, JSON])
@each("method", ["POST", "GET"])
def test_the_type_of_no_body_matters_not(alice, topic, kind, method):
    path = f"/topics/{topic}/follow" if method == "POST" else f"/topics/{topic}"
    if kind != "multipart/form-data" or method == "GET":
        assert send(alice, method, path, b"", kind).status_int == 200


@each("coding", ["gzip", "deflate", "br", "zstd", "x-gzip", "GZIP", "gzip, gzip", "aes128gcm"])
def test_a_body_with_a_coding_is_415(alice, coding):
    coded = {"Content-Type": JSON, "Content-Encoding": coding}
    refused = alice.call("PUT", "/users/me", '{"tagline": "new"}', headers=coded)
    assert (refused.status_int, list(refused.json)) == (415, ["error"])
    assert alice.call("PUT", "/users/me", "", headers=coded).status_int == 200
    plain = {"Content-Type": JSON, "Content-Encoding": "identity"}
    assert alice.call("PUT", "/users/me", '{"tagline": "new"}', headers=plain).status_int == 200


def test_a_form_or_json_is_as_large_as_the_longest_post_needs(make_forum):
    forum = make_forum(posts__max_body="1000")
    alice, most = forum.person("alice"), 12 * 1000 + 256 * 1024
    topic = forum.topic(alice, forum.node())
    path = f"/topics/{topic}/replies"
    form = ("body=" + "%F0%9F%98%80" * 1000).encode()
    padded = form + b"&x=" + b"x" * (most - len(form) - 3)
    assert send(alice, "POST", path, padded, FORM).status_int == 201
    for kind in (FORM, JSON):
        refused = send(alice, "POST", path, padded + b"x", kind)
        error = f"The request body is larger than {most} bytes."
        assert (refused.status_int, refused.json) == (413, {"error": error})
    large, kind = multipart(("body", b"B"), ("other", b"x" * most))
    assert send(alice, "POST", path, large, kind).status_int == 201


# All values that a field refuses: tests/unit/schemas.
@each(
    ("path", "body", "kind", "error"),
    [
        ("/likes", '{"obj_type": "topic", "obj_id": null}', JSON, "obj_id: is required"),
        ("/topics/{topic}/replies", '{"body": ["x"]}', JSON, "body: must be a text, not "),
        ("/topics", '{"node_id": {"ü": [1]}, "title": "T"}', JSON, "node_id: must be an integer"),
        ("/notifications/read", '{"ids": [1, null]}', JSON, "ids: "),
        ("/notifications/read", "ids=1,,2", FORM, "ids: "),
        ("/notifications/read", "", None, "ids: is required"),
    ],
)
def test_a_value_of_another_type_is_400_naming_its_parameter(alice, topic, path, body, kind, error):
    answer = send(alice, "POST", path.format(topic=topic), body, kind)
    assert answer.status_int == 400
    assert answer.json["error"].startswith(error)


NO_OBJECTS = ["[]", "[1]", '"text"', "1", "true", "null", "NaN"]
NO_JSON = ["{", "{'a': 1}", '{"a": NaN}', '{"a": Infinity}', '{"a": 1, "a": 2}', "a=1", '{"a":1}x']
DEEP = '{"a": ' * 100_000 + "1" + "}" * 100_000


@each("text", [*NO_OBJECTS, *NO_JSON, pytest.param(DEEP, id="deep")])
def test_a_json_body_that_is_no_object_is_refused(alice, topic, text):
    answer = send(alice, "POST", f"/topics/{topic}/follow", text, JSON)
    assert answer.status_int == 400
    assert "JSON" in answer.json["error"]


@each(
    "text",
    [
        '{"ids": [' + "1," * 200_000 + "1]}",
        '{"a": [' + "[]," * 200_000 + "1]}",
        '{"a": [' + '"",' * 200_000 + "1]}",
        "{" + ",".join(f'"k{n}": 1' for n in range(50_000)) + "}",
    ],
)
def test_a_large_json_body_of_many_values_is_refused_unread(alice, text):
    headers = {"Content-Type": "application/json"}
    refused = alice.call("POST", "/notifications/read", text, headers=headers)
    assert refused.status_int == 400
    assert refused.json == {"error": "the JSON body has too many values"}


def test_a_large_json_body_of_one_text_is_read(alice, topic):
    for text in ('[{",:' * 100_000, '"\\' * 100_000):
        refused = alice.call("POST", f"/topics/{topic}/replies", json={"body": text})
        assert refused.json["error"].startswith("body: must have at most 65536 characters")


@each("raw", [b'{"a": "\xff"}', b"\xff\xfe{\x00}\x00", '{"a": "ü"}'.encode("latin-1")])
def test_json_that_is_not_utf_8_is_refused(alice, topic, raw):
    answer = send(alice, "POST", f"/topics/{topic}/follow", raw, JSON)
    assert (answer.status_int, "UTF-8" in answer.json["error"]) == (400, True)


@each("raw", [b"", b"  \r\n"])
def test_the_json_type_without_a_body_is_no_error(alice, topic, raw):
    assert send(alice, "POST", f"/topics/{topic}/follow", raw, JSON).json == {"ok": 1}


def notes(forum: Forum, alice: Person, topic: int) -> tuple[int, int]:
    """Create two replies of Bob's, and return the ids of Alice's notifications."""
    bob = forum.person("bob")
    forum.reply(bob, topic)
    forum.reply(bob, topic)
    second, first = (note["id"] for note in alice.get("/notifications").json)
    return first, second


ARRAYS: dict[str, Any] = {
    "json": lambda a, b: ("", json.dumps({"ids": [a, b]}), JSON),
    "json under []": lambda a, b: ("", json.dumps({"ids[]": [a, b]}), JSON),
    "repeated": lambda a, b: ("", f"ids={a}&ids={b}", FORM),
    "repeated with []": lambda a, b: ("", f"ids[]={a}&ids[]={b}", FORM),
    "repeated with indexes": lambda a, b: ("", f"ids[0]={a}&ids[1]={b}", FORM),
    "indexes with a gap": lambda a, b: ("", f"ids[10]={a}&ids[9]={b}", FORM),
    "json under indexes": lambda a, b: ("", json.dumps({"ids[0]": a, "ids[1]": b}), JSON),
    "query with indexes": lambda a, b: (f"?ids%5B0%5D={a}&ids%5B1%5D={b}", "", None),
    "commas": lambda a, b: ("", f"ids={a},{b}", FORM),
    "query": lambda a, b: (f"?ids={a}&ids={b}", "", None),
    "query with []": lambda a, b: (f"?ids[]={a}&ids[]={b}", "", None),
}


@pytest.mark.parametrize("form", ARRAYS)
def test_an_array_may_be_written_in_many_ways(forum, alice, topic, form):
    query, body, kind = ARRAYS[form](*notes(forum, alice, topic))
    answer = send(alice, "POST", f"/notifications/read{query}", body, kind)
    assert (answer.status_int, answer.json) == (200, {"ok": 1})
    assert alice.get("/notifications/unread_count").json == {"count": 0}


def test_an_empty_array_changes_nothing(forum, alice, topic):
    notes(forum, alice, topic)
    assert send(alice, "POST", "/notifications/read", '{"ids": []}', JSON).json == {"ok": 1}
    assert alice.get("/notifications/unread_count").json == {"count": 2}


def test_unknown_parameters_are_ignored(alice):
    assert alice.get("/topics", colour="red", page="x").json == []


BROKEN_FORMS = {
    "undecodable bytes": (b"body=\xff", FORM),
    "undecodable escapes": (b"body=%ff", FORM),
    "a multipart form without a boundary": (b"--x--", "multipart/form-data"),
    "a multipart form that is cut": (
        b'--limit\r\nContent-Disposition: form-data; name="body"\r\n\r\ncut',
        "multipart/form-data; boundary=limit",
    ),
    "a multipart form that is none": (b"body=x", "multipart/form-data; boundary=limit"),
    "undecodable bytes in multipart": multipart(("body", b"\xff")),
    "too many fields": (b"&".join([b"a=1"] * 2001), FORM),
    "too many escapes": (b"a=" + b"%41" * 150_001, FORM),
    "percent signs": (b"a=" + b"%" * 1_000_000, FORM),
    "escapes of nothing": (b"a=" + b"%e4x" * 200_000, FORM),
}


@each("form", BROKEN_FORMS)
def test_a_form_that_cannot_be_read_is_refused(alice, topic, form):
    raw, kind = BROKEN_FORMS[form]
    answer = send(alice, "POST", f"/topics/{topic}/replies", raw, kind)
    assert answer.status_int == 400, answer.text
    assert "Error" not in answer.json["error"]


@each("path", ["/topics?type=%ff", "/topics?%ff=1", "/users/%ff", "/%c3%28"])
def test_undecodable_bytes_in_path_and_query_are_refused(alice, path):
    answer = send(alice, "GET", path)
    assert answer.status_int == 400
    assert "UTF-8" in answer.json["error"]


def test_a_body_over_the_limit_is_refused(make_forum):
    forum = make_forum(http__max_body="2000")
    alice = forum.person("alice")
    topic = forum.topic(alice, forum.node())
    path = f"/topics/{topic}/replies"
    assert send(alice, "POST", path, "body=" + "x" * 1995, FORM).status_int == 201
    refused = send(alice, "POST", path, "body=" + "x" * 1996, FORM)
    assert refused.status_int == 413
    assert refused.json == {"error": "The request body is larger than 2000 bytes."}


@each("end", [b"--limit--\r\n", b"--limit\r\nbroken"])
@each("value", [b"a" * 300_000, b"\xff" * 300_000])
def test_a_long_text_of_a_multipart_form_leaves_no_file_open(alice, topic, value, end):
    # Beyond 256 KB a part is in a temporary file; one left open would be an error of the test.
    form, kind = multipart(("other", value), ("body", value))
    body = form.removesuffix(b"--limit--\r\n") + end
    assert send(alice, "POST", f"/topics/{topic}/replies", body, kind).status_int == 400
    gc.collect(1)  # the youngest; the old objects of all tests are many
