"""The second response shape, `api.envelope = keyed`: the same service under other names."""

import re

import pytest

from forumsvc.pages.guide import source
from tests.description.described import operations
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum

TOPIC_IN_LIST = {"closed_at", "hits", "grade", "suggested_at", "abilities"}


@pytest.fixture
def keyed(make_forum: MakeForum) -> Forum:
    """An empty forum that answers in the keyed shape."""
    return make_forum(api__envelope="keyed")


def test_each_list_stands_under_its_name(keyed: Forum) -> None:
    alice, node = keyed.person("alice"), keyed.node()
    names = {
        "/users": "users",
        "/users/alice/topics": "topics",
        "/users/alice/favorites": "topics",
        "/users/alice/replies": "replies",
        "/users/alice/followers": "followers",
        "/users/alice/following": "following",
        "/users/alice/blocked": "blocked",
        "/topics": "topics",
        "/notifications": "notifications",
    }
    answers = {path: alice.get(path).json for path in names}
    assert {path: [*answer] for path, answer in answers.items()} == {
        path: [name] for path, name in names.items()
    }
    nodes = alice.get("/nodes").json
    assert [one["id"] for one in nodes["nodes"]] == [node]
    assert nodes["meta"] == {"total": 1}
    assert alice.get(f"/nodes/{node}").json["meta"] == {}


def test_a_creation_answers_200_with_the_topic_and_how_its_author_stands_to_it(
    keyed: Forum,
) -> None:
    alice, node = keyed.person("alice"), keyed.node()
    made = alice.post("/topics", title="T", node_id=node, body="B")
    assert made.status_int == 200
    assert made.json["meta"] == {"followed": False, "liked": False, "favorited": False}
    assert made.json["topic"]["excellent"] == 0
    assert made.json["topic"]["grade"] == "normal"
    replied = alice.post(f"/topics/{made.json['topic']['id']}/replies", body="R")
    assert replied.status_int == 200
    assert replied.json["meta"] == {}
    assert replied.json["reply"]["abilities"] == {"update": True, "destroy": True}


def _opened(keyed: Forum, login: str) -> tuple[int, int]:
    """Let somebody open a topic with a reply; return the ids of both."""
    author = keyed.person(login)
    topic = author.post("/topics", title="T", node_id=keyed.node(), body="B").json["topic"]["id"]
    reply = author.post(f"/topics/{topic}/replies", body="R").json["reply"]["id"]
    return topic, reply


def test_meta_tells_how_the_caller_stands_to_a_topic_and_a_user(keyed: Forum) -> None:
    topic, _ = _opened(keyed, "alice")
    bob = keyed.person("bob")
    bob.post(f"/topics/{topic}/follow")
    bob.post(f"/topics/{topic}/favorite")
    liked = bob.post("/likes", obj_type="topic", obj_id=topic).json
    assert liked == {"obj_type": "topic", "obj_id": topic, "count": 1}
    meta = {"followed": True, "liked": True, "favorited": True}
    assert bob.get(f"/topics/{topic}").json["meta"] == meta
    bob.post("/users/alice/block")
    assert bob.get("/users/alice").json["meta"] == {"followed": False, "blocked": True}
    assert keyed.nobody.get("/users/alice").json["meta"] == {"followed": False, "blocked": False}


def test_topics_in_lists_carry_what_these_clients_rely_on(keyed: Forum) -> None:
    topic, _ = _opened(keyed, "alice")
    admin = keyed.person("root", role="admin")
    admin.post(f"/topics/{topic}/action?type=excellent")
    [listed] = admin.get("/topics").json["topics"]
    assert listed.keys() >= TOPIC_IN_LIST
    assert (listed["excellent"], listed["grade"], listed["suggested_at"]) == (1, "excellent", None)
    assert listed["abilities"]["ban"] is True
    admin.post(f"/topics/{topic}/ban")
    assert admin.get(f"/topics/{topic}").json["topic"]["grade"] == "ban"


def test_replies_in_lists_carry_body_abilities_and_action_and_which_are_liked(
    keyed: Forum,
) -> None:
    topic, reply = _opened(keyed, "alice")
    bob = keyed.person("bob")
    bob.post("/likes", obj_type="reply", obj_id=reply)
    answer = bob.get(f"/topics/{topic}/replies").json
    [listed] = answer["replies"]
    assert (listed["body"], listed["action"]) == ("R", None)
    assert listed["abilities"] == {"update": False, "destroy": False}
    assert answer["meta"] == {"user_liked_reply_ids": [reply]}
    [written] = keyed.nobody.get("/users/alice/replies").json["replies"]
    assert written.keys() >= {"body", "abilities", "action", "topic_title"}


def test_topics_inside_notifications_carry_it_too(keyed: Forum) -> None:
    topic, _ = _opened(keyed, "alice")
    bob = keyed.person("bob")
    bob.post(f"/topics/{topic}/replies", body="Hi @alice")
    alice = keyed.caller(keyed.token(keyed.nobody.get("/users/alice").json["user"]["id"]))
    [told] = alice.get("/notifications").json["notifications"]
    assert told["topic"].keys() >= TOPIC_IN_LIST
    assert told["topic"]["excellent"] == 0


def test_hello_brings_the_user_in_full_and_the_time(keyed: Forum) -> None:
    alice = keyed.person("alice")
    keyed.change(alice.id, codehost="ac", microblog="am")
    hello = alice.get("/hello").json
    assert hello["current_user"] == "alice"
    assert (hello["user"]["github"], hello["user"]["twitter"]) == ("ac", "am")
    assert hello["meta"].keys() == {"time"}


def test_an_unknown_type_of_list_falls_back(keyed: Forum) -> None:
    assert keyed.nobody.get("/topics?type=whatever").json == {"topics": []}


@pytest.mark.parametrize(
    ("method", "path", "status", "kind"),
    [
        ("GET", "/topics?limit=0", 400, "ParameterInvalid"),
        ("GET", "/hello", 401, "Unauthorized"),
        ("GET", "/topics/1", 404, "ResourceNotFound"),
        ("DELETE", "/topics", 405, "MethodNotAllowed"),
    ],
)
def test_a_failure_names_its_kind_and_what_is_wrong(
    keyed: Forum, method: str, path: str, status: int, kind: str
) -> None:
    refused = keyed.nobody.call(method, path)
    assert refused.status_int == status
    assert refused.json["error"] == kind
    assert refused.json["message"]


def test_what_has_no_name_stays_as_it_is(keyed: Forum) -> None:
    alice = keyed.person("alice")
    keyed.person("bob")
    assert alice.post("/users/bob/follow").json == {"ok": 1}
    assert alice.get("/notifications/unread_count").json == {"count": 0}


def test_the_guide_names_the_kind_of_every_failure_that_is_described(keyed: Forum) -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([0-9, ]+) \|$", source("keyed-envelope"), re.M)
    shown = {int(status): kind for kind, listed in rows for status in listed.split(", ")}
    described = {int(status) for one in operations() for status in one.told["responses"]}
    # A method that a path does not have is no operation.
    assert shown.keys() == {status for status in described if status >= 400} | {405}
    error = keyed.registry.envelope.error
    assert {status: error(status, "")["error"] for status in shown} == shown
