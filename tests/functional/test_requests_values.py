"""The values of parameters: ranges, ids, texts; each error names the parameter."""

from typing import Any

import pytest

from forumsvc.models import Reply, Topic
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
@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("limit", ["0", "151"])
def test_limit_is_an_integer_from_1_to_150(
    alice: Person, topic: int, path: str, limit: str
) -> None:
    answer = send(alice, "GET", f"{path.format(topic=topic)}?limit={limit}")
    assert answer.status_int == 400
    assert answer.json == {"error": f"limit: must be an integer from 1 to 150, not '{limit}'"}


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("limit", ["1", "150"])
def test_the_ends_of_the_range_are_in_it(alice: Person, topic: int, path: str, limit: str) -> None:
    assert send(alice, "GET", f"{path.format(topic=topic)}?limit={limit}").status_int == 200


def test_a_plus_in_a_query_is_a_blank(alice: Person) -> None:
    assert send(alice, "GET", "/topics?limit=+1").status_int == 400
    assert send(alice, "GET", "/topics?limit=%2B1").status_int == 400


@pytest.mark.parametrize("path", LISTS)
def test_offset_is_an_integer_of_at_least_0(alice: Person, topic: int, path: str) -> None:
    answer = send(alice, "GET", f"{path.format(topic=topic)}?offset=-1")
    assert answer.status_int == 400
    assert answer.json == {"error": "offset: must be an integer of at least 0, not '-1'"}


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("offset", [2**63 - 1, HUGE])
def test_an_offset_too_large_for_the_database_gives_an_empty_page(
    alice: Person, topic: int, path: str, offset: Any
) -> None:
    assert send(alice, "GET", f"{path.format(topic=topic)}?offset={offset}").json == []


@pytest.mark.parametrize(("limit", "status"), [("100", 200), ("101", 400), ("0", 400)])
def test_at_most_100_users_are_listed(alice: Person, limit: str, status: int) -> None:
    answer = alice.get("/users", limit=limit)
    assert answer.status_int == status
    if status == 400:
        text = f"limit: must be an integer from 1 to 100, not '{limit}'"
        assert answer.json == {"error": text}


@pytest.mark.parametrize("offset", ["-1", "x", "5"])
def test_users_know_no_offset(alice: Person, offset: str) -> None:
    assert [user["login"] for user in alice.get("/users", offset=offset).json] == ["alice"]


@pytest.mark.parametrize("query", ["type=", "node_id=", "type=&node_id=&offset=&limit="])
def test_an_optional_parameter_that_is_empty_counts_as_absent(
    alice: Person, topic: int, query: str
) -> None:
    assert [one["id"] for one in send(alice, "GET", f"/topics?{query}").json] == [topic]


@pytest.mark.parametrize("kind", ["newest", "Recent", "recent ", "0"])
def test_an_unknown_type_of_list_is_refused(alice: Person, kind: str) -> None:
    answer = alice.get("/topics", type=kind)
    assert answer.status_int == 400
    assert answer.json["error"] == (
        f"type: must be one of last_actived, recent, no_reply, popular, excellent, not '{kind}'"
    )


def test_an_unknown_order_is_refused(alice: Person) -> None:
    answer = alice.get("/users/me/topics", order="hits")
    assert answer.json == {"error": "order: must be one of recent, likes, replies, not 'hits'"}


NOT_THERE = ["0", "424242", str(2**63 - 1), str(2**63), HUGE]


@pytest.mark.parametrize("node_id", NOT_THERE)
def test_a_list_of_a_node_that_is_not_there_is_not_there(alice: Person, node_id: str) -> None:
    answer = alice.get("/topics", node_id=node_id)
    assert answer.status_int == 404
    assert "node_id" in answer.json["error"]


@pytest.mark.parametrize("node_id", ["x", "1.0", "1_0"])
def test_a_node_id_is_an_integer(alice: Person, node_id: str) -> None:
    answer = alice.get("/topics", node_id=node_id)
    assert answer.status_int == 400
    assert answer.json == {"error": f"node_id: must be an integer, not '{node_id}'"}


@pytest.mark.parametrize("node_id", NOT_THERE)
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_topic_cannot_go_where_no_node_is(
    forum: Forum, alice: Person, topic: int, node_id: str, method: str
) -> None:
    path = "/topics" if method == "POST" else f"/topics/{topic}"
    answer = alice.call(method, path, {"title": "T", "node_id": node_id, "body": "B"})
    assert answer.status_int == 400
    assert answer.json["error"].startswith("node_id: there is no such node")
    assert forum.count(Topic) == 1


@pytest.mark.parametrize("wrong", ["0", "%D9%A3", "1%20", str(2**63)])
@pytest.mark.parametrize("place", ["users", "nodes", "topics", "replies", "notifications"])
def test_what_is_no_id_is_not_there(alice: Person, place: str, wrong: str) -> None:
    method = "DELETE" if place == "notifications" else "GET"
    answer = send(alice, method, f"/{place}/{wrong}")
    assert (answer.status_int, answer.json) == (404, {"error": "There is nothing here."})


@pytest.mark.parametrize("wrong", NOT_THERE)
def test_what_is_liked_must_be_there(alice: Person, wrong: str) -> None:
    answer = alice.post("/likes", obj_type="topic", obj_id=wrong)
    assert answer.status_int == 404
    assert "obj_id" in answer.json["error"]


@pytest.mark.parametrize("missing", ["obj_type", "obj_id"])
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_a_like_names_its_object(alice: Person, topic: int, missing: str, method: str) -> None:
    sent = {"obj_type": "topic", "obj_id": topic}
    del sent[missing]
    answer = alice.call(method, "/likes", sent)
    assert (answer.status_int, answer.json) == (400, {"error": f"{missing}: is required"})


def test_only_topics_and_replies_can_be_liked(alice: Person) -> None:
    answer = alice.post("/likes", obj_type="user", obj_id=alice.id)
    text = "obj_type: must be one of topic, reply, not 'user'"
    assert (answer.status_int, answer.json) == (400, {"error": text})


@pytest.mark.parametrize("field", ["title", "body"])
def test_a_blank_title_or_text_is_refused(forum: Forum, alice: Person, field: str) -> None:
    sent = {"title": "T", "node_id": forum.node(), "body": "B", field: "\u3000"}
    answer = alice.call("POST", "/topics", json=sent)
    assert (answer.status_int, answer.json["error"][: len(field)]) == (400, field)
    assert forum.count(Topic) == 0


@pytest.mark.parametrize("blank", [None, "", "\u200b"])
def test_a_reply_without_text_is_no_reply(
    forum: Forum, alice: Person, topic: int, blank: str | None
) -> None:
    sent = {} if blank is None else {"body": blank}
    answer = alice.call("POST", f"/topics/{topic}/replies", json=sent)
    assert (answer.status_int, answer.json["error"][:4]) == (400, "body")
    assert forum.count(Reply) == 0


@pytest.mark.parametrize("missing", ["title", "node_id", "body"])
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_topic_needs_title_node_and_text(
    forum: Forum, alice: Person, topic: int, missing: str, method: str
) -> None:
    sent = {"title": "T", "node_id": forum.node("Other"), "body": "B"}
    del sent[missing]
    answer = alice.call(method, "/topics" if method == "POST" else f"/topics/{topic}", sent)
    assert (answer.status_int, answer.json) == (400, {"error": f"{missing}: is required"})


UNSTORABLE = {"NUL": "a\\u0000b", "half a pair": "a\\ud800b", "the other half": "a\\udc00b"}


@pytest.mark.parametrize("what", UNSTORABLE)
@pytest.mark.parametrize("field", ["title", "body"])
def test_characters_that_cannot_be_stored_are_refused(
    forum: Forum, alice: Person, field: str, what: str
) -> None:
    sent = {"title": "T", "body": "B", field: UNSTORABLE[what]}
    body = f'{{"title": "{sent["title"]}", "body": "{sent["body"]}", "node_id": {forum.node()}}}'
    answer = send(alice, "POST", "/topics", body, JSON)
    assert (answer.status_int, answer.json["error"][: len(field)]) == (400, field)


def test_a_whole_pair_of_surrogates_is_a_character(forum: Forum, alice: Person) -> None:
    body = f'{{"title": "\\ud83d\\ude00", "body": "B", "node_id": {forum.node()}}}'
    assert send(alice, "POST", "/topics", body, JSON).json["title"] == "\N{GRINNING FACE}"


@pytest.mark.parametrize("name", ["type", "obj_type", "order"])
def test_a_nul_in_a_word_is_no_mistake_of_ours(alice: Person, name: str) -> None:
    path = {"type": "/topics", "order": "/users/me/topics", "obj_type": "/likes"}[name]
    answer = send(alice, "POST" if name == "obj_type" else "GET", f"{path}?{name}=%00")
    assert (answer.status_int, answer.json["error"].split(":")[0]) == (400, name)


@pytest.mark.parametrize("path", ["/users/a%00b", "/topics/%00", "/%00"])
def test_a_nul_in_a_path_leads_nowhere(alice: Person, path: str) -> None:
    assert send(alice, "GET", path).status_int == 404


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


def test_titles_are_trimmed_before_they_are_measured(forum: Forum, alice: Person) -> None:
    title = f"  {'x' * 255}\u3000\n"
    made = alice.call(
        "POST", "/topics", json={"title": title, "node_id": forum.node(), "body": "B"}
    )
    assert made.json["title"] == "x" * 255


def test_the_sizes_are_settings(make_forum: MakeForum) -> None:
    forum = make_forum(posts__max_title="3", posts__max_body="5")
    alice, node = forum.person("alice"), forum.node()
    assert alice.post("/topics", title="abcd", node_id=node, body="B").status_int == 400
    assert alice.post("/topics", title="abc", node_id=node, body="123456").status_int == 400
    assert alice.post("/topics", title="abc", node_id=node, body="12345").status_int == 201


@pytest.mark.parametrize("sent", [{"file": "text"}, {}])
def test_a_photo_is_a_file(alice: Person, sent: dict[str, str]) -> None:
    answer = alice.call("POST", "/photos", sent)
    assert (answer.status_int, answer.json["error"][:5]) == (400, "file:")


@pytest.mark.parametrize(
    "raw", [b"", b"GIF89a", b"<svg/>", b"\x89PNG\r\n\x1a\n", b"BM" + b"x" * 99]
)
def test_a_photo_is_a_picture(alice: Person, raw: bytes) -> None:
    answer = alice.call("POST", "/photos", upload_files=[("file", "a.png", raw)])
    assert (answer.status_int, answer.json["error"][:5]) == (400, "file:")


def test_a_photo_over_its_limit_is_refused_by_name(make_forum: MakeForum) -> None:
    alice = make_forum(photos__max_bytes="1024").person("alice")
    answer = alice.call("POST", "/photos", upload_files=[("file", "a.png", b"x" * 1025)])
    text = "file: too large: at most 1,024 bytes are allowed"
    assert (answer.status_int, answer.json) == (400, {"error": text})


def test_a_file_is_no_text(alice: Person, topic: int) -> None:
    answer = alice.call("POST", f"/topics/{topic}/replies", upload_files=[("body", "a.txt", b"B")])
    assert answer.status_int == 400
    assert answer.json == {"error": "body: must be a text"}


def test_a_file_is_no_number(forum: Forum, alice: Person) -> None:
    sent = {"title": "T", "body": "B"}
    answer = alice.call("POST", "/topics", sent, upload_files=[("node_id", "a.txt", b"1")])
    assert answer.json == {"error": "node_id: must be an integer, not a file"}


def test_an_error_shows_what_was_sent_and_escapes_what_cannot_be_printed(forum: Forum) -> None:
    answer = forum.nobody.get("/topics", type="a\n\x1b[31m热\x85")
    allowed = "last_actived, recent, no_reply, popular, excellent"
    shown = r"'a\n\x1b[31m热\x85'"
    assert answer.json == {"error": f"type: must be one of {allowed}, not {shown}"}


@pytest.mark.parametrize(
    ("sent", "shown"),
    [("null", "is required"), ("true", "'true'"), ('{"ü": [1, 2.5]}', "'{\"ü\": [1, 2.5]}'")],
)
def test_an_error_shows_json_as_it_was_sent(
    forum: Forum, alice: Person, sent: str, shown: str
) -> None:
    answer = send(alice, "POST", "/topics", f'{{"title": "T", "node_id": {sent}}}', JSON)
    assert answer.json["error"].endswith(shown)


def test_a_title_takes_no_line_break_or_control_character(
    alice: Person, node: int, topic: int
) -> None:
    sent = {"title": "a\nb", "node_id": node, "body": "B"}
    for method, path in (("POST", "/topics"), ("PUT", f"/topics/{topic}")):
        answer = alice.call(method, path, json=sent)
        reason = "must not contain line breaks or control characters (U+000A)"
        assert (answer.status_int, answer.json) == (400, {"error": f"title: {reason}"})


def test_a_title_takes_every_other_character(alice: Person, node: int) -> None:
    sent = {"title": "سلام\u200f 👩\u200d💻", "node_id": node, "body": "B"}
    assert alice.call("POST", "/topics", json=sent).json["title"] == sent["title"]
