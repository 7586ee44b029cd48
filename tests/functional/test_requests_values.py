"""The values of parameters: ranges, ids, texts; each error names the parameter."""

from typing import Any

import pytest

from forumsvc.models import Reply, Topic
from tests.cases import each
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum, Person
from tests.functional.test_requests_encoding import JSON, send

HUGE = "9" * 400


LISTS = [
    *("/topics", "/topics/{topic}/replies", "/notifications"),
    *(
        f"/users/me/{name}"
        for name in ("topics", "replies", "favorites", "followers", "following", "blocked")
    ),
]


# All values that a field takes or refuses: tests/unit/schemas.
@each("path", LISTS)
def test_limit_is_an_integer_from_1_to_150_and_offset_one_of_at_least_0(
    alice: Person, topic: int, path: str
) -> None:
    def ask(query: str) -> tuple[int, Any]:
        answer = send(alice, "GET", f"{path.format(topic=topic)}?{query}")
        return answer.status_int, answer.json

    for limit in ("0", "151"):
        error = {"error": f"limit: must be an integer from 1 to 150, not '{limit}'"}
        assert ask(f"limit={limit}") == (400, error)
    assert [ask(f"limit={limit}")[0] for limit in ("1", "150")] == [200, 200]
    error = {"error": "offset: must be an integer of at least 0, not '-1'"}
    assert ask("offset=-1") == (400, error)
    # Too large for the database.
    assert [ask(f"offset={offset}") for offset in (2**63 - 1, HUGE)] == [(200, [])] * 2


KINDS = "last_actived, recent, no_reply, popular, excellent"
ACTIONS = "excellent, unexcellent, close, open, ban, unban, normal"
ORDERS = "recent, likes, replies"
TOPIC = {"title": "T", "node_id": "1", "body": "B"}
LIKE = {"obj_type": "topic", "obj_id": "1"}
REFUSED = [
    ("GET", "/notifications", {"since": "-1"}, "since: must be an integer of at least 0, not '-1'"),
    ("GET", "/users", {"limit": "101"}, "limit: must be an integer from 1 to 100, not '101'"),
    ("GET", "/topics", {"node_id": "1_0"}, "node_id: must be an integer, not '1_0'"),
    ("GET", "/topics", {"type": "Recent"}, f"type: must be one of {KINDS}, not 'Recent'"),
    ("GET", "/topics", {"type": "\0"}, rf"type: must be one of {KINDS}, not '\x00'"),
    ("GET", "/users/me/topics", {"order": "hits"}, f"order: must be one of {ORDERS}, not 'hits'"),
    ("POST", "/likes", {**LIKE, "obj_type": "x"}, "obj_type: must be one of topic, reply, not 'x'"),
    ("POST", "/topics/{topic}/action", {"type": "x"}, f"type: must be one of {ACTIONS}; not 'x'"),
    ("POST", "/topics/{topic}/action", {}, f"type: must be one of {ACTIONS}; is required"),
    *(
        (method, path, {key: sent[key] for key in sent if key != name}, f"{name}: is required")
        for method, path, sent in (
            *(("POST", "/likes", LIKE), ("DELETE", "/likes", LIKE)),
            *(("POST", "/topics", TOPIC), ("PUT", "/topics/{topic}", TOPIC)),
        )
        for name in sent
    ),
    ("POST", "/photos", {}, "file: is required"),
    ("POST", "/photos", {"file": "x"}, "file: must be a file, sent as multipart/form-data"),
]


@each(("method", "path", "sent", "error"), REFUSED)
def test_a_wrong_or_missing_parameter_is_400_naming_it(
    alice: Person, topic: int, method: str, path: str, sent: dict[str, str], error: str
) -> None:
    answer = alice.call(method, path.format(topic=topic), sent)
    assert (answer.status_int, answer.json) == (400, {"error": error})


@each(
    ("path", "field", "sent", "error"),
    [
        *(
            ("/photos", "file", raw, "file:")
            for raw in (b"", b"GIF89a", b"<svg/>", b"\x89PNG\r\n\x1a\n")
        ),
        ("/topics/{topic}/replies", "body", b"B", "body: must be a text"),
        ("/topics", "node_id", b"1", "node_id: must be an integer, not a file"),
    ],
)
def test_a_file_is_taken_for_a_picture_alone(
    alice: Person, topic: int, path: str, field: str, sent: bytes, error: str
) -> None:
    files = [(field, "a.png", sent)]
    form = {"title": "T", "body": "B"} if path == "/topics" else {}
    answer = alice.call("POST", path.format(topic=topic), form, upload_files=files)
    assert answer.status_int == 400
    assert answer.json["error"].startswith(error)


@each("query", ["type=", "node_id=", "type=&node_id=&offset=&limit="])
def test_an_optional_parameter_that_is_empty_counts_as_absent(
    alice: Person, topic: int, query: str
) -> None:
    assert [one["id"] for one in send(alice, "GET", f"/topics?{query}").json] == [topic]


NOT_THERE = ["0", "424242", str(2**63 - 1), str(2**63), HUGE]


@each("node_id", NOT_THERE)
def test_a_list_of_a_node_that_is_not_there_is_not_there(alice: Person, node_id: str) -> None:
    answer = alice.get("/topics", node_id=node_id)
    assert answer.status_int == 404
    assert "node_id" in answer.json["error"]


@each("wrong", ["0", "%D9%A3", "1%20", str(2**63)])
@each("place", ["users", "nodes", "topics", "replies", "notifications"])
def test_what_is_no_id_is_not_there(alice: Person, place: str, wrong: str) -> None:
    method = "DELETE" if place == "notifications" else "GET"
    answer = send(alice, method, f"/{place}/{wrong}")
    assert (answer.status_int, answer.json) == (404, {"error": "There is nothing here."})


@each("wrong", NOT_THERE)
def test_what_is_liked_must_be_there(alice: Person, wrong: str) -> None:
    answer = alice.post("/likes", obj_type="topic", obj_id=wrong)
    assert answer.status_int == 404
    assert "obj_id" in answer.json["error"]


@each("body", ["&nbsp;", "<b></b>", ">", "&#8203;"])
def test_a_body_that_shows_nothing_is_refused(
    forum: Forum, alice: Person, topic: int, body: str
) -> None:
    reply = forum.reply(alice, topic)
    node = forum.nobody.get(f"/topics/{topic}").json["node_id"]
    answers = (
        alice.post("/topics", title="T", node_id=node, body=body),
        alice.put(f"/topics/{topic}", title="T", node_id=node, body=body),
        alice.post(f"/topics/{topic}/replies", body=body),
        alice.post(f"/replies/{reply}", body=body),
    )
    for answer in answers:
        assert (answer.status_int, answer.json["error"]) == (400, "body: must not be empty")


@each("blank", [None, "", "\u200b"])
def test_a_reply_without_text_is_no_reply(
    forum: Forum, alice: Person, topic: int, blank: str | None
) -> None:
    sent = {} if blank is None else {"body": blank}
    answer = alice.call("POST", f"/topics/{topic}/replies", json=sent)
    assert (answer.status_int, answer.json["error"][:4]) == (400, "body")
    assert forum.count(Reply) == 0


@each(
    ("field", "text"),
    [
        *((field, text) for field in ("title", "body") for text in ("\u3000", "a\0b", "a\ud800b")),
        ("title", "a\nb"),
    ],
)
def test_a_text_that_cannot_be_seen_or_stored_is_refused(
    forum: Forum, alice: Person, node: int, topic: int, field: str, text: str
) -> None:
    sent = {"title": "T", "node_id": node, "body": "B", field: text}
    for method, path in (("POST", "/topics"), ("PUT", f"/topics/{topic}")):
        answer = alice.call(method, path, json=sent)
        assert (answer.status_int, answer.json["error"].split(":")[0]) == (400, field)
    assert forum.count(Topic) == 1


def test_a_whole_pair_of_surrogates_is_a_character(forum: Forum, alice: Person) -> None:
    body = f'{{"title": "\\ud83d\\ude00", "body": "B", "node_id": {forum.node()}}}'
    assert send(alice, "POST", "/topics", body, JSON).json["title"] == "\N{GRINNING FACE}"


@each("path", ["/users/a%00b", "/topics/%00", "/%00"])
def test_a_nul_in_a_path_is_refused(alice: Person, path: str) -> None:
    assert send(alice, "GET", path).status_int == 400


LONGEST = {"title": 255, "body": 65_536}


@pytest.mark.parametrize("field", LONGEST)
def test_the_longest_text_is_taken_and_a_longer_one_refused(
    forum: Forum, alice: Person, field: str
) -> None:
    # Of the widest characters, and in lines: how long a text renders is no matter here.
    longest = ("\N{GRINNING FACE}" * 63 + "\n" if field == "body" else "\u4e2d") * 2000
    longest = longest[: LONGEST[field]]
    sent = {"title": "T", "node_id": forum.node(), "body": "B", field: longest}
    assert alice.call("POST", "/topics", json=sent).json[field] == longest
    refused = alice.call("POST", "/topics", json={**sent, field: longest + "x"})
    text = f"{field}: must have at most {len(longest)} characters, and has {len(longest) + 1}"
    assert (refused.status_int, refused.json) == (400, {"error": text})


def test_the_sizes_are_settings(make_forum: MakeForum) -> None:
    forum = make_forum(posts__max_title="3", posts__max_body="5")
    alice, node = forum.person("alice"), forum.node()
    assert alice.post("/topics", title="abcd", node_id=node, body="B").status_int == 400
    assert alice.post("/topics", title="abc", node_id=node, body="123456").status_int == 400
    assert alice.post("/topics", title="abc", node_id=node, body="12345").status_int == 201


def test_a_photo_over_its_limit_is_refused_by_name(make_forum: MakeForum) -> None:
    alice = make_forum(photos__max_bytes="1024").person("alice")
    answer = alice.call("POST", "/photos", upload_files=[("file", "a.png", b"x" * 1025)])
    text = "file: too large: at most 1,024 bytes are allowed"
    assert (answer.status_int, answer.json) == (400, {"error": text})
